import { useLocation } from '@docusaurus/router';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { OperationModel } from '../../../reference/model.ts';
import styles from '../reference.module.css';

const Console = lazy(() => import('./console.tsx'));

/** The console is loaded when a reader opens it, or runs a sample of a guide. */
export function TryIt({ operation }: { operation: OperationModel }) {
  const [isOpen, setOpen] = useState(false);
  const { search } = useLocation();
  useEffect(() => {
    if (new URLSearchParams(search).get('try') === operation.id) setOpen(true);
  }, [search, operation.id]);
  return (
    <div className={styles.tryIt}>
      <button
        type="button"
        className={styles.button}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        aria-label={`${isOpen ? 'Close' : 'Try it'}: ${operation.method} ${operation.path}`}
      >
        {isOpen ? 'Close' : 'Try it'}
      </button>
      {isOpen ? (
        <Suspense fallback={<p className={styles.muted}>Loading the console …</p>}>
          <Console operation={operation} />
        </Suspense>
      ) : null}
    </div>
  );
}
