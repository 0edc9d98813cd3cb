import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import { usePluginData } from '@docusaurus/useGlobalData';
import { useEffect, useState } from 'react';
import styles from './live/live.module.css';
import { LiveChanges } from './live/live-changes.tsx';
import { ServerForm } from './live/server-form.tsx';
import { fetchLive, forgetServer, type Live, startLive, useLive } from './live/store.ts';
import { isGiven } from './samples/sample-credential.ts';
import { useCredential } from './try-it/credential.ts';
import { CredentialFields } from './try-it/credential-fields.tsx';

interface Props {
  /** The resource of the page; undefined on the index. */
  tag?: string | undefined;
  operationId?: string | undefined;
}

/** The description of the reader's server, compared with the one that these pages were built from. */
export function LiveDescription({ tag, operationId }: Props) {
  const { siteConfig } = useDocusaurusContext();
  const { baseUrl } = siteConfig;
  const live = useLive();
  useEffect(() => whenIdle(() => void startLive(baseUrl)), [baseUrl]);
  return (
    <aside className={styles.live} aria-label="The description of your server" data-live={live.kind}>
      <div aria-live="polite" aria-atomic="true">
        <Line live={live} baseUrl={baseUrl} />
      </div>
      {live.kind === 'loaded' ? <LiveChanges changes={live.changes} tag={tag} operationId={operationId} /> : null}
      <Choice live={live} baseUrl={baseUrl} />
      <Key />
    </aside>
  );
}

function Line({ live, baseUrl }: { live: Live; baseUrl: string }) {
  const bundled = `the description of version ${useBundledVersion()} that came with this site`;
  switch (live.kind) {
    // The same text before anything is known, so that nothing moves on a site without its own server.
    case 'waiting':
    case 'unknown':
      return <p className={styles.line}>This page shows {bundled}. Name your server to see where it differs.</p>;
    case 'loading':
      return <p className={styles.line}>Asking {live.address} for its description …</p>;
    case 'failed':
      return (
        <p className={styles.line}>
          <strong>The description of {live.address} could not be loaded.</strong> {live.reason} This page shows{' '}
          {bundled}.{' '}
          <button type="button" className={styles.small} onClick={() => void fetchLive(live.address, baseUrl)}>
            Retry
          </button>
        </p>
      );
    case 'loaded':
      return (
        <p className={styles.line}>
          Version {live.version}, fetched{' '}
          <time dateTime={live.fetchedAt.toISOString()}>{live.fetchedAt.toLocaleTimeString()}</time> from {live.address}
          . {live.changes.length === 0 ? 'It is the same as on these pages.' : <>These pages show {bundled}.</>}
        </p>
      );
  }
}

/** The version that plugins/api-reference.ts built the pages from. */
function useBundledVersion(): string {
  const data = usePluginData('api-reference') as { version: string };
  return data.version;
}

/** The form stays folded if there already is a server. */
function Choice({ live, baseUrl }: { live: Live; baseUrl: string }) {
  const [isOpen, setOpen] = useState(false);
  const address = 'address' in live ? live.address : '';
  return (
    <details className={styles.choice} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{address === '' ? 'Name your server' : 'Use another server'}</summary>
      <ServerForm key={address} address={address} baseUrl={baseUrl} onChosen={() => setOpen(false)} />
      {address === '' ? null : (
        <button type="button" className={styles.small} onClick={() => void forgetServer(baseUrl)}>
          Forget this server
        </button>
      )}
    </details>
  );
}

/** The reader's key is used in the examples of all pages. */
function Key() {
  const [isOpen, setOpen] = useState(false);
  const kept = useCredential();
  return (
    <details className={styles.choice} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{isGiven(kept) ? 'Change your key' : 'Add your key'}</summary>
      {isOpen ? <CredentialFields problem={undefined} id="reader-key" /> : null}
    </details>
  );
}

/** Runs a task once the page is idle. */
function whenIdle(task: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(task, 1_000);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(task, { timeout: 5_000 });
  return () => cancelIdleCallback(handle);
}
