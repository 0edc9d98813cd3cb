/** A picture that somebody else chose, if it came along as data: nothing is fetched from elsewhere. Or else a letter. */
export function Icon({ source, name }: { source: string | undefined; name: string }) {
  if (source?.startsWith('data:image/')) return <img className="icon" src={source} alt="" width="24" height="24" />;
  return (
    <span className="icon letter" aria-hidden="true">
      {[...name][0]?.toUpperCase() ?? '?'}
    </span>
  );
}
