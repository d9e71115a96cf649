import { Fragment, type ReactNode } from "react";

/** A text whose long words, such as addresses and dotted names, break after their punctuation rather than anywhere. */
export const breakable = (text: string): ReactNode =>
  text.split(/(?<=[/._?&=:,@-])(?=\p{L})/u)
    .map((part, index) => <Fragment key={index}>{index > 0 && <wbr />}{part}</Fragment>);
