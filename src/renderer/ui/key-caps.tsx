/** The keys of a shortcut, as they are printed on a keyboard. */
export function KeyCaps({ caps }: { readonly caps: readonly string[] }) {
  return (
    <span className="caps">
      {caps.map((cap) => (
        <kbd key={cap}>{cap}</kbd>
      ))}
    </span>
  );
}
