import styles from './role-name.module.css';

/** The name of a role, with its color on the platform if it has one. */
export function RoleName({ name, color }: { name: string; color?: number | undefined }) {
  // Discord represents "no color" as 0.
  const isColored = color !== undefined && color > 0 && color <= 0xffffff;
  return (
    <span className={styles.role}>
      {isColored && <span className={styles.dot} style={{ background: `#${color.toString(16).padStart(6, '0')}` }} />}
      {name}
    </span>
  );
}
