interface Pattern {
  /** For display. */
  readonly what: string;
  /** Every quantifier is bounded, so that the time is proportional to the length of a hostile text. */
  readonly pattern: RegExp;
  /** Further conditions, such as a check digit, which an expression cannot test. */
  readonly accepts?: (value: string) => boolean;
}

/** Looks like a host name at its end: `logo@2x.png`, `f@app.js`. */
const FILE_NAME =
  /\.(?:[cm]?js|tsx?|jsx|css|map|json|html?|png|jpe?g|gif|svg|webp|avif|ico|woff|ttf|vue)$/i;

/** In order: a value is reported as the first kind that matches. */
const PATTERNS = [
  {
    what: "JSON web token",
    pattern: /\beyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{0,2000}/g,
  },
  {
    what: "secret key",
    pattern:
      /\b(?:sk|rk)_(?:live|test)_\w{16,200}|\b(?:AKIA|ASIA)[A-Z\d]{16}\b|\bgh[oprsu]_\w{36,255}|\bgithub_pat_\w{22,255}|\bxox[abprs]-[\w-]{10,250}|\bsntry[su]_[\w=+/]{20,300}|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----/g,
  },
  {
    what: "access token",
    pattern: /\b(?:Bearer|Basic)\s{1,3}(?=[\w.~+/-]{0,200}\d)[\w.~+/-]{16,4000}={0,2}/gi,
  },
  {
    // Not the user name of an address (`https://KEY@HOST`), nor of a repository.
    what: "e-mail address",
    pattern:
      /(?<![\w.+@-]|\/\/[\w:]{0,64})[\w.+-]{1,64}@(?:[a-z\d][a-z\d-]{0,62}\.){1,8}[a-z]{2,24}(?![\w@]|-\w)/gi,
    accepts: (value: string) => !value.startsWith("git@") && !FILE_NAME.test(value),
  },
  {
    what: "card number",
    pattern: /(?<![\w.,+-])[3-6]\d(?:[ -]?\d){12,17}(?![\w-]|[.,]\d)/g,
    accepts: isCardNumber,
  },
  {
    // International, or as written in North America. A number of ten digits alone may be anything.
    what: "phone number",
    pattern:
      /(?<![\w+/])\+[1-9]\d{0,2}(?:[ ().-]{0,3}\d){7,12}(?![\w-])|(?<![\w.-])(?:\(\d{3}\) ?|\d{3}-)\d{3}-\d{4}(?![\w-]|\.\d)/g,
  },
  {
    // Not the name of a file or of its folder, such as `/assets/HASH.js`.
    what: "long random text",
    pattern: /(?<![\w-])[\w-]{24,512}(?![\w-]|(?:\/[^\s?#/]{0,100}){0,4}\.\w{1,5}\b)/g,
    accepts: isRandom,
  },
] as const satisfies readonly Pattern[];

export const PERSONAL_KINDS = PATTERNS.map(({ what }) => what);

export type PersonalKind = (typeof PATTERNS)[number]["what"];

/** All but secrets have an at sign or a digit, and most texts of a page have neither. */
const CANDIDATE = /[@\d]|PRIVATE KEY/;

/** Hashes of scripts, as in `<script integrity>` and in security policies. */
const INTEGRITY = /\bsha(?:256|384|512)-[\w+/-]{43,86}={0,2}/g;

/** Characters of a text that are searched. Longer ones are documents and pictures. */
export const MAX_SEARCHED = 200_000;

/** What looks like personal data in a text: each value once. */
export function findPersonalData(text: string): { what: PersonalKind; value: string }[] {
  // A picture in the text itself.
  if (!CANDIDATE.test(text) || text.startsWith("data:")) return [];
  const found = new Map<string, PersonalKind>();
  let rest = withoutEscapes(text.slice(0, MAX_SEARCHED)).replace(INTEGRITY, " ");
  for (const { what, pattern, ...more } of PATTERNS) {
    rest = rest.replace(pattern, (value) => {
      if ("accepts" in more && !more.accepts(value)) return value;
      found.set(value, what);
      // Not found again as another kind.
      return " ";
    });
  }
  return [...found].map(([value, what]) => ({ what, value }));
}

/** A text with the escapes of addresses replaced, as in `?mail=ann%40shop.example`. */
export function withoutEscapes(text: string): string {
  return text.replace(/(?:%[\da-f]{2}){1,1000}/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch (error) {
      if (error instanceof URIError) return escapes;
      throw error;
    }
  });
}

/** First digits and lengths of the large issuers. Times in microseconds and most ids are none. */
const ISSUERS =
  /^(?:4\d{15}|5[1-5]\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|4[4-9]\d|5\d{2})\d{12}|35\d{14}|62\d{14,17})$/;

function isCardNumber(value: string): boolean {
  const digits = value.replace(/[ -]/g, "");
  const separators = new Set(value.replace(/\d/g, ""));
  return ISSUERS.test(digits) && separators.size <= 1 && passesLuhn(digits);
}

/** Check digit of ISO/IEC 7812: every second digit from the right counts double, without nines. */
const passesLuhn = (digits: string): boolean =>
  [...digits].toReversed().map(Number)
        .reduce(
          (sum, digit, n) => sum + (n % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)),
          0,
        ) %
      10 === 0;

/** Letters of a word. Random texts have shorter runs. */
const WORD = /[a-z]{7}|[A-Z]{7}/;
/** A name in code: `getUserById2AndItem3`. */
const CAMEL_CASE = /^[a-z]*(?:[A-Z][a-z]+\d*){3,}$/;

/** Base64 or base62 of random bytes: not hexadecimal (ids, hashes), not a name made of words. */
function isRandom(value: string): boolean {
  if (/^[\da-f-]+$/i.test(value) || WORD.test(value) || CAMEL_CASE.test(value)) return false;
  const groupsOfDigits = value.match(/\d+/g)?.length ?? 0;
  const letters = value.replace(/[\d_-]/g, "");
  const hasBothCases = /[a-z].*[A-Z]|[A-Z].*[a-z]/s.test(letters);
  return groupsOfDigits >= 3 && hasBothCases && letters.length >= value.length / 2;
}
