import { useState } from 'react';

/** A picture chosen by others, if it is a data URL or served here: nothing is fetched from elsewhere. Otherwise a letter. */
export function Icon({
  source,
  name,
  isLarge = false,
}: {
  source: string | undefined;
  name: string;
  isLarge?: boolean;
}) {
  const [broken, setBroken] = useState<string>();
  const className = isLarge ? 'icon large' : 'icon';
  const isOurs = source !== undefined && (source.startsWith('data:image/') || source.startsWith('/pictures/'));
  if (isOurs && source !== broken)
    return <img className={className} src={source} alt="" width="28" height="28" onError={() => setBroken(source)} />;
  return (
    <span className={`${className} letter`} aria-hidden="true">
      {[...name.trim()][0]?.toUpperCase() ?? '?'}
    </span>
  );
}
