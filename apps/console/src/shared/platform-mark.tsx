import { type Icon, IconBrandDiscord, IconBrandReddit, IconBrandTelegram, IconUser } from './icons.ts';
import styles from './ui/row.module.css';

const marks: Readonly<Record<string, Icon>> = {
  discord: IconBrandDiscord,
  telegram: IconBrandTelegram,
  reddit: IconBrandReddit,
};

/** The logo of a chat platform, beside its name. */
export function PlatformMark({ platform, size = 28 }: { platform: string; size?: number }) {
  const Mark = marks[platform] ?? IconUser;
  return <Mark size={size} stroke={1.5} aria-hidden="true" />;
}

/** The same as the picture of a row. */
export function PlatformTile({ platform }: { platform: string }) {
  const Mark = marks[platform] ?? IconUser;
  return (
    <span className={`${styles.picture} ${styles.s36} ${styles.letter}`}>
      <Mark size={20} stroke={1.75} aria-hidden="true" />
    </span>
  );
}
