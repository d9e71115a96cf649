export default function NotFound() {
  return <p>No such page.</p>;
}
