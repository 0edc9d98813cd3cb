import { setPlace } from '../../../ask/place.ts';
import styles from './ask.module.css';

/** Where the button of the widget that answers questions is, once it has loaded. The menu of narrow screens has none. */
export default function AskPlace({ mobile = false }: { mobile?: boolean }) {
  return mobile ? null : <div className={styles.place} ref={setPlace} />;
}
