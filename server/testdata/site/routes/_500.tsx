export default function ServerError() {
  return <p>Something broke.</p>;
}
