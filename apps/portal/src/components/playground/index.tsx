import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import recorded from '@site/.generated/playground.json';
import { useEffect, useId, useRef, useState } from 'react';
import { loadSettings } from '../../settings.ts';
import {
  type Action,
  act,
  endPlayground,
  openPlayground,
  PlaygroundFailed,
  readPlayground,
  type Playground as Shown,
} from './client.ts';
import styles from './playground.module.css';
import { describeEvent, describeHoldings, describeRoles, describeStep, describeWaiting, ruleTitles } from './words.ts';

/** Which recorded sequence a page shows. */
export type Story = 'introduction' | 'roles' | 'undo' | 'kinds';

type State =
  | { kind: 'closed' }
  | { kind: 'opening' }
  | { kind: 'open'; apiUrl: string; key: string; shown: Shown }
  | { kind: 'ended'; message: string }
  | { kind: 'missing'; message: string };

/** One copy for all pages of a tab. */
const storageKey = 'latchkey-playground';

/** While roles may still follow from what the reader did, and afterwards. */
const [busyMs, idleMs, followMs] = [1_000, 5_000, 8_000];

/**
 * A community of the reader's own on their server, with the real engine behind it. Without a server, and without
 * JavaScript, it is a recorded sequence.
 */
export function Playground({ story }: { story: Story }) {
  const { siteConfig } = useDocusaurusContext();
  const [state, setState] = useState<State>({ kind: 'closed' });
  const [isAlive, setAlive] = useState(false);
  const [problem, setProblem] = useState('');
  const [rule, setRule] = useState('three-keys');
  const [isActing, setActing] = useState(false);
  const actedAt = useRef(0);
  const id = useId();

  const fail = (error: unknown) => {
    const { kind, message } =
      error instanceof PlaygroundFailed ? error : new PlaygroundFailed('other', 'Something went wrong. Try again.');
    if (kind === 'other') return setProblem(message);
    sessionStorage.removeItem(storageKey);
    setProblem('');
    setState({ kind, message });
  };
  const findServer = async (): Promise<string> => {
    const { apiUrl } = await loadSettings(siteConfig.baseUrl);
    if (apiUrl === undefined)
      throw new PlaygroundFailed('missing', 'No server is connected to this copy of the documentation.');
    return apiUrl;
  };

  // The copy that the reader has from another page, or from before a reload.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, since a page has one address and one tab.
  useEffect(() => {
    setAlive(true);
    const key = sessionStorage.getItem(storageKey);
    if (key === null) return;
    findServer()
      .then(async (apiUrl) => setState({ kind: 'open', apiUrl, key, shown: await readPlayground(apiUrl, key) }))
      .catch(fail);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each state schedules the next read.
  useEffect(() => {
    if (state.kind !== 'open') return;
    const { apiUrl, key, shown } = state;
    const isBusy = shown.isWorking || Date.now() - actedAt.current < followMs;
    let isGone = false;
    const timer = setTimeout(
      () => {
        readPlayground(apiUrl, key).then(
          (next) => {
            if (isGone) return;
            setProblem('');
            setState({ kind: 'open', apiUrl, key, shown: next });
          },
          (error: unknown) => {
            if (isGone) return;
            fail(error);
            // Looks again, although nothing was read.
            if (error instanceof PlaygroundFailed && error.kind === 'other') setState({ ...state });
          },
        );
      },
      isBusy ? busyMs : idleMs,
    );
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [state]);

  const start = async () => {
    setState({ kind: 'opening' });
    setProblem('');
    actedAt.current = Date.now();
    try {
      const apiUrl = await findServer();
      const { key, playground } = await openPlayground(apiUrl);
      sessionStorage.setItem(storageKey, key);
      setState({ kind: 'open', apiUrl, key, shown: playground });
    } catch (error) {
      setState({ kind: 'closed' });
      fail(error);
    }
  };
  const startAgain = async () => {
    if (state.kind === 'open') await endPlayground(state.apiUrl, state.key).catch(() => undefined);
    await start();
  };
  const run = async (action: Action, choice?: string) => {
    if (state.kind !== 'open') return;
    const { apiUrl, key } = state;
    setActing(true);
    setProblem('');
    try {
      const shown = await act(apiUrl, key, action, choice);
      actedAt.current = Date.now();
      setState({ kind: 'open', apiUrl, key, shown });
    } catch (error) {
      fail(error);
    } finally {
      setActing(false);
    }
  };

  const shown: Omit<Shown, 'expiresTime' | 'isWorking' | 'events'> =
    state.kind === 'open' ? state.shown : recorded.start;
  const [you] = shown.members;
  const isOpen = state.kind === 'open';
  const held = shown.changeSets.some(({ status }) => status === 'held');
  const button = (action: Action, title: string, isPossible: boolean, choice?: string) => (
    <button
      type="button"
      className={styles.button}
      disabled={!isOpen || isActing || !isPossible}
      onClick={() => run(action, choice)}
    >
      {title}
    </button>
  );
  return (
    <section className={styles.playground} aria-labelledby={`${id}-title`} data-state={state.kind}>
      <p className={styles.title} id={`${id}-title`}>
        Try it: a sample community of your own
      </p>
      <div className={styles.controls} data-alive={isAlive}>
        {state.kind === 'open' ? (
          <button type="button" className={styles.button} disabled={isActing} onClick={startAgain}>
            Start again
          </button>
        ) : (
          <button type="button" className={styles.primary} disabled={state.kind === 'opening'} onClick={start}>
            {state.kind === 'ended' ? 'Start again' : 'Start'}
          </button>
        )}
        {button('link-wallet', 'Link a wallet', you?.isLinked === false)}
        {you?.keys === 0 ? button('buy-token', 'Buy it back', true) : button('sell-token', 'Sell the token', true)}
        <span className={styles.rule}>
          <label htmlFor={`${id}-rule`}>Rule for Holder</label>
          <select
            id={`${id}-rule`}
            className={styles.select}
            value={rule}
            disabled={!isOpen}
            onChange={(event) => setRule(event.target.value)}
          >
            {Object.entries(ruleTitles).map(([choice, title]) => (
              <option key={choice} value={choice}>
                {title}
              </option>
            ))}
          </select>
          {button('edit-rule', 'Edit the rule', rule !== shown.rule.choice, rule)}
        </span>
        <span className={styles.rule}>
          {button('approve', 'Approve', held)}
          {button('reject', 'Reject', held)}
          {button(
            'undo',
            'Undo',
            shown.changeSets.some(({ canUndo }) => canUndo),
          )}
        </span>
      </div>
      <p
        className={styles.status}
        role="status"
        data-problem={problem !== '' || state.kind === 'ended' || state.kind === 'missing'}
      >
        {problem === '' ? describeState(state) : problem}
      </p>
      <div className="table-scroll">
        <table className={styles.members}>
          <thead>
            <tr>
              <th scope="col">Member</th>
              <th scope="col">Wallet holds</th>
              <th scope="col">Roles</th>
            </tr>
          </thead>
          <tbody>
            {shown.members.map((member) => (
              <tr key={member.name}>
                <th scope="row">{member.name}</th>
                <td>
                  {describeHoldings(member)}
                  {member.isLinked ? '' : ' (not linked)'}
                </td>
                <td>
                  {member.roles.map((role) => (
                    <span key={role} className={styles.role} data-role={role}>
                      {role}
                    </span>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles.summary} aria-live="polite">
        The rule for Holder: {shown.rule.name}. {describeRoles(shown.members)} {describeWaiting(shown.changeSets)}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <ol className={styles.events} aria-label="What happened, newest first" tabIndex={0}>
        {isOpen ? (
          state.shown.events.map((event) => (
            <li key={event.id}>
              <time dateTime={event.time}>{event.time.slice(11, 19)}</time> {describeEvent(event)}
            </li>
          ))
        ) : (
          <li>What happens in your community is listed here as it happens.</li>
        )}
      </ol>
      <noscript>
        <p>Without JavaScript, the recorded sequence below shows what would happen.</p>
      </noscript>
      <details className={styles.recorded} open={state.kind === 'missing'}>
        <summary>The same, recorded</summary>
        <ol>
          {recorded.stories[story]?.map(({ action, members, waiting }) => (
            <li key={action}>
              {action} <em>{describeStep(members, waiting)}</em>
            </li>
          ))}
        </ol>
      </details>
    </section>
  );
}

function describeState(state: State): string {
  switch (state.kind) {
    case 'closed':
      return 'Press Start: your server creates a community for you alone, with six members, and removes it after 30 minutes.';
    case 'opening':
      return 'Creating your community …';
    case 'open':
      return state.shown.isWorking
        ? 'Checking members and writing roles …'
        : `Ready. Your community ends at ${new Date(state.shown.expiresTime).toLocaleTimeString('en', { timeStyle: 'short' })}.`;
    case 'ended':
      return state.message;
    case 'missing':
      return `It cannot be tried here: ${state.message} The recorded sequence is below.`;
  }
}
