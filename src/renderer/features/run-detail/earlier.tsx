/** Says that a list is only the newest part of a longer one. */
export function Earlier({ children }: { readonly children: string }) {
  return <p className="rd-earlier t12 ink2">{children}</p>;
}
