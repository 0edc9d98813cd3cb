import type { ComponentProps } from 'react';
import styles from './button.module.css';

/** A button within the text of a page. */
export function Button(props: Omit<ComponentProps<'button'>, 'className'>) {
  return <button type="button" {...props} className={styles.button} />;
}
