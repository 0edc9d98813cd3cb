/** A user-chosen name, on one line of a text. It cannot reverse the text around it, or push it away. */
export function Name({ children }: { children: string }) {
  return (
    <strong className="short" title={children}>
      <bdi>{children}</bdi>
    </strong>
  );
}
