import Link from '@docusaurus/Link';
import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { knownSettings, loadSettings, type Settings } from '../../settings.ts';
import styles from './needs-setup.module.css';
import { type PartName, parts } from './parts.ts';

interface Fold {
  isMissing: boolean;
  isOpen: boolean;
}

/**
 * Content about a part of the server that its operator has to set up. If the server says that it is not set up, one line says so and the
 * rest is folded. If that is unknown, it is shown: unknown is not false.
 *
 * `foldMissing` of the server writes the same into a page that it sends, by the attributes below in this order, so that nothing moves once
 * the scripts run and readers without them see it too.
 */
export function NeedsSetup({ part, children }: { part: PartName; children: ReactNode }) {
  const { baseUrl } = useDocusaurusContext().siteConfig;
  const note = useRef<HTMLElement>(null);
  const rest = useRef<HTMLDetailsElement>(null);
  const [{ isMissing, isOpen }, setFold] = useState<Fold>({ isMissing: false, isOpen: true });
  useLayoutEffect(() => {
    let isGone = false;
    const apply = ({ setUp }: Settings) => {
      if (!isGone && setUp[part] === false) setFold({ isMissing: true, isOpen: holdsTarget(rest.current) });
    };
    const settings = knownSettings();
    if (note.current?.hidden === false) setFold({ isMissing: true, isOpen: rest.current?.open === true });
    else if (settings !== undefined) apply(settings);
    else loadSettings(baseUrl).then(apply);
    return () => {
      isGone = true;
    };
  }, [baseUrl, part]);
  const { missing, to, how } = parts[part];
  return (
    <>
      <aside ref={note} className={styles.note} hidden={!isMissing} data-needs={part}>
        {missing} Its operator can change that: <Link to={to}>{how}</Link>.
      </aside>
      <details ref={rest} className={styles.rest} open={isOpen}>
        <summary className={styles.toggle} hidden={!isMissing}>
          <span className={styles.show}>Show it anyway</span>
          <span className={styles.hide}>Hide it again</span>
        </summary>
        {children}
      </details>
    </>
  );
}

/** Whether the URL points into what would be folded. */
function holdsTarget(element: HTMLElement | null): boolean {
  const target = location.hash === '' ? null : document.getElementById(decodeURIComponent(location.hash.slice(1)));
  return target !== null && element?.contains(target) === true;
}
