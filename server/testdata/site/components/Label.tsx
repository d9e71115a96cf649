export function Label({ id, text }: { id: string; text: string }) {
  return <label id={id}>{text}</label>;
}
