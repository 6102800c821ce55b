/** A proportion, beside the figure it stands for. */
export function Meter({ share }: { readonly share: number }) {
  const width = `${Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10}%`;
  return (
    <span className="meter" aria-hidden="true">
      <i style={{ width }} />
    </span>
  );
}
