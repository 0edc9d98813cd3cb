import { useState } from 'react';
import styles from './picture.module.css';

/** A picture that the server serves or that came as data, or else the first letter of the name. Nothing else is loaded. */
export function Picture({
  source,
  name,
  size = 36,
}: {
  source?: string | undefined;
  name: string;
  size?: 24 | 36 | 56;
}) {
  const [broken, setBroken] = useState<string>();
  const isOurs = source !== undefined && (source.startsWith('data:image/') || /^\/(?!\/)/.test(source));
  const className = `${styles.picture} ${styles[`s${size}`]}`;
  if (isOurs && source !== broken)
    return (
      <img
        className={className}
        src={source}
        alt=""
        width={size}
        height={size}
        loading="lazy"
        onError={() => setBroken(source)}
      />
    );
  return (
    <span className={`${className} ${styles.letter}`} aria-hidden="true">
      {[...name.trim()][0]?.toUpperCase() ?? '?'}
    </span>
  );
}
