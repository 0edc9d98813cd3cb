import useDocusaurusContext from '@docusaurus/useDocusaurusContext';
import { useEffect, useState } from 'react';
import { loadSettings } from '../settings.ts';
import styles from './home.module.css';

type State =
  | { kind: 'waiting' }
  | { kind: 'none' }
  | { kind: 'offline'; address: string }
  | { kind: 'online'; address: string; version: string; bot: boolean };

/** A server that takes longer counts as not responding. */
const patienceMs = 10_000;

/** The status of the server beside this site, or that there is none. */
export function Live() {
  const { siteConfig } = useDocusaurusContext();
  const [state, setState] = useState<State>({ kind: 'waiting' });
  useEffect(() => {
    let isGone = false;
    ask(siteConfig.baseUrl).then((answer) => !isGone && setState(answer));
    return () => {
      isGone = true;
    };
  }, [siteConfig.baseUrl]);
  return (
    <p className={styles.live} data-state={state.kind} aria-live="polite">
      <span className={styles.lamp} />
      <span>{words(state)}</span>
    </p>
  );
}

async function ask(baseUrl: string): Promise<State> {
  const { apiUrl } = await loadSettings(baseUrl);
  if (apiUrl === undefined) return { kind: 'none' };
  try {
    const [ping, config] = await Promise.all(['/ping', '/config'].map((path) => readJson(`${apiUrl}${path}`)));
    return { kind: 'online', address: apiUrl, version: String(ping.version), bot: Boolean(config.discordClientId) };
  } catch {
    return { kind: 'offline', address: apiUrl };
  }
}

async function readJson(address: string) {
  const answer = await fetch(address, { signal: AbortSignal.timeout(patienceMs) });
  if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
  return answer.json();
}

function words(state: State): string {
  switch (state.kind) {
    case 'waiting':
      return 'Looking for a server …';
    case 'none':
      return 'No server is connected to this copy of the documentation.';
    case 'offline':
      return `The server at ${state.address} is not responding.`;
    case 'online':
      return `The server at ${state.address} is running: version ${state.version}, ${state.bot ? 'with' : 'without'} a Discord bot.`;
  }
}
