import styles from './diagrams.module.css';

/** A row of steps with arrows between them: a life cycle, or a path through Latchkey. */
export function Path({ label, steps }: { label: string; steps: readonly string[] }) {
  return (
    <figure className={styles.figure}>
      <ol className={styles.path} aria-label={label}>
        {steps.map((step) => (
          <li className={styles.step} key={step}>
            {step}
          </li>
        ))}
      </ol>
      <figcaption className={styles.caption}>{label}</figcaption>
    </figure>
  );
}
