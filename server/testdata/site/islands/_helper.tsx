/** Not an island: the name begins with `_`. */
export default function Helper() {
  return null;
}
