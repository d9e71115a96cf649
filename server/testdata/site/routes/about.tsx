export const variants = ["one"];

export default function About() {
  return <p>About, with no island.</p>;
}
