/** What somebody called themselves or something, on one line of a text. It cannot turn the text around it, or push it away. */
export function Name({ children }: { children: string }) {
  return (
    <strong className="short" title={children}>
      <bdi>{children}</bdi>
    </strong>
  );
}
