import Link from '@docusaurus/Link';
import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { OperationModel } from '../../../reference/model.ts';
import { isReading } from '../../../reference/reading-posts.ts';
import { ServerForm } from '../live/server-form.tsx';
import { startLive, useLive } from '../live/store.ts';
import { namesIn, withOwnToken, withOwnValues } from '../samples/own-values.ts';
import { keepReturned } from '../samples/returned.ts';
import { isGiven } from '../samples/sample-credential.ts';
import { startInputs } from '../samples/start-inputs.ts';
import { useOwnValues } from '../samples/use-own-values.ts';
import { AnswerView } from './answer.tsx';
import styles from './console.module.css';
import { noCredential, storeFor, useCredential } from './credential.ts';
import { CredentialFields } from './credential-fields.tsx';
import { type Inputs, type Prepared, type Problems, prepare } from './prepare.ts';
import { RequestFields } from './request-fields.tsx';
import { type Outcome, send } from './send.ts';
import { writeCurl } from './write-curl.ts';

interface Props {
  operation: OperationModel;
}

type Stage = { kind: 'filling' } | { kind: 'confirming'; prepared: Prepared; words: string } | { kind: 'sending' };

/** Sends one operation to the reader's own server. */
export default function Console({ operation }: Props) {
  const { baseUrl } = useDocusaurusContext().siteConfig;
  const address = useAddress(baseUrl);
  const store = storeFor(operation);
  const kept = useCredential(store);
  // A public operation ignores credentials, and without one the browser needs no preflight for it.
  const credential = store === undefined ? noCredential : kept;
  const { own, isReading } = useOwnValues(operation);
  const [typed, setTyped] = useState<Inputs>();
  const signedIn = useCredential();
  const inputs =
    typed ?? withOwnToken(operation, withOwnValues(operation, startInputs(operation), own).inputs, signedIn);
  const [problems, setProblems] = useState<Problems>({});
  const [stage, setStage] = useState<Stage>({ kind: 'filling' });
  const [outcome, setOutcome] = useState<Outcome>();
  const form = useRef<HTMLFormElement>(null);
  const ended = useEnd();
  const id = useId();
  const checked = prepare(operation, inputs, address ?? 'http://127.0.0.1:3000', credential);

  const start = async (prepared: Prepared) => {
    setStage({ kind: 'sending' });
    setOutcome(undefined);
    const result = await send(prepared, ended.current.signal);
    if (ended.current.signal.aborted) return;
    if (result.kind === 'answer' && result.status < 300 && result.body.kind === 'text')
      keepReturned(`${operation.method} ${operation.path}`, result.body.text);
    setOutcome(result);
    setStage({ kind: 'filling' });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = 'problems' in checked ? checked.problems : {};
    setProblems(found);
    if ('problems' in checked) {
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return;
    }
    const { prepared } = checked;
    const names = isGiven(credential) ? namesIn(operation, inputs, own) : [];
    const words = warningOf(operation, prepared, address, names);
    if (words === undefined) void start(prepared);
    else setStage({ kind: 'confirming', prepared, words });
  };
  const change = (changed: Inputs) => {
    setTyped(changed);
    // What was confirmed is no longer what the fields show.
    if (stage.kind === 'confirming') setStage({ kind: 'filling' });
  };
  return (
    <section
      className={styles.console}
      aria-label={`Console for ${operation.method} ${operation.path}`}
      aria-busy={isReading}
    >
      <Server address={address} baseUrl={baseUrl} />
      <form ref={form} onSubmit={submit} noValidate autoComplete="off">
        {store && <CredentialFields problem={problems.credential} id={`${id}-credential`} store={store} />}
        {operation.first && (
          <p className={styles.note}>
            This uses what <Link to={operation.first.address}>{operation.first.route}</Link> creates: send that first.
          </p>
        )}
        <RequestFields operation={operation} inputs={inputs} problems={problems} id={id} onChange={change} />
        {stage.kind === 'confirming' ? (
          <Confirm
            words={stage.words}
            isDeletion={operation.method === 'DELETE'}
            onYes={() => void start(stage.prepared)}
            onNo={() => setStage({ kind: 'filling' })}
          />
        ) : (
          <button type="submit" className={styles.send} disabled={address === undefined || stage.kind === 'sending'}>
            {stage.kind === 'sending' ? 'Sending …' : 'Send'}
          </button>
        )}
        {address === undefined ? <p className={styles.note}>Name your server first.</p> : null}
      </form>
      {'prepared' in checked ? <CurlLine prepared={checked.prepared} secret={signedIn.secret.trim()} /> : null}
      <div aria-live="polite">
        {outcome === undefined || address === undefined ? null : (
          <AnswerView outcome={outcome} address={address} scopes={operation.scopes} />
        )}
      </div>
    </section>
  );
}

/** What a reader confirms before it is sent: every deletion, and every change to something of theirs. */
function warningOf(
  { method, path }: OperationModel,
  prepared: Prepared,
  address: string | undefined,
  names: readonly string[],
): string | undefined {
  const request = `${method} ${pathOf(prepared)}`;
  if (method === 'DELETE') return `This deletes on ${address}: ${request}`;
  if (isReading(method, path) || names.length === 0) return undefined;
  return `This changes ${new Intl.ListFormat('en').format(names)} on ${address}: ${request}`;
}

function pathOf({ url }: Prepared): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** The server that is set for the whole reference. */
function useAddress(baseUrl: string): string | undefined {
  const live = useLive();
  useEffect(() => void startLive(baseUrl), [baseUrl]);
  return 'address' in live ? live.address : undefined;
}

/** Aborts requests in flight when the console is closed. */
function useEnd() {
  const ended = useRef(new AbortController());
  useEffect(() => {
    ended.current = new AbortController();
    return () => ended.current.abort();
  }, []);
  return ended;
}

function Server({ address, baseUrl }: { address: string | undefined; baseUrl: string }) {
  const [isChanging, setChanging] = useState(false);
  if (address === undefined || isChanging)
    return (
      <ServerForm key={address ?? ''} address={address ?? ''} baseUrl={baseUrl} onChosen={() => setChanging(false)} />
    );
  return (
    <p className={styles.server}>
      Sends to <code>{address}</code>{' '}
      <button type="button" className={styles.quiet} onClick={() => setChanging(true)}>
        Change
      </button>
    </p>
  );
}

interface ConfirmProps {
  words: string;
  isDeletion: boolean;
  onYes: () => void;
  onNo: () => void;
}

function Confirm({ words, isDeletion, onYes, onNo }: ConfirmProps) {
  const yes = useRef<HTMLButtonElement>(null);
  useEffect(() => yes.current?.focus(), []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the question stands between the fields; a fieldset would name it as one of them.
    <div
      className={styles.confirm}
      role="group"
      aria-label={isDeletion ? 'Confirm the deletion' : 'Confirm the change'}
    >
      <p className={styles.words}>{words}</p>
      <button type="button" className={styles.danger} ref={yes} onClick={onYes}>
        {isDeletion ? 'Yes, delete' : 'Yes, send'}
      </button>{' '}
      <button type="button" className={styles.quiet} onClick={onNo}>
        Cancel
      </button>
    </div>
  );
}

const shownMs = 2000;

/** The same request for a terminal. */
function CurlLine({ prepared, secret }: { prepared: Prepared; secret: string }) {
  const [words, setWords] = useState('Copy');
  const written = writeCurl(prepared);
  const line = secret === '' ? written : written.replaceAll(secret, 'YOUR_TOKEN');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(line);
      setWords('Copied');
    } catch {
      setWords('Press Ctrl+C');
    }
    setTimeout(() => setWords('Copy'), shownMs);
  };
  return (
    <details className={styles.curl}>
      <summary>As curl</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className={styles.pre} tabIndex={0}>
        {line}
      </pre>
      <button type="button" className={styles.quiet} onClick={copy} aria-live="polite">
        {words}
      </button>
    </details>
  );
}
