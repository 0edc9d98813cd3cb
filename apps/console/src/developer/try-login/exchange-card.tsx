import { Code } from '@mantine/core';
import { Section, State } from '../../shared/ui/index.ts';
import type { Exchange } from './exchange.ts';
import styles from './try-login.module.css';

/** A request and its answer. Tokens are cut short: they open what the person allowed. */
export function ExchangeCard({ title, exchange: { request, status, answer } }: { title: string; exchange: Exchange }) {
  return (
    <Section title={title} actions={<State tone={status < 400 ? 'good' : 'bad'}>{status}</State>}>
      <Lines text={request} />
      <Lines text={JSON.stringify(shorten(answer), null, 2)} />
    </Section>
  );
}

export function Lines({ text }: { text: string }) {
  return (
    <Code block className={styles.lines} tabIndex={0}>
      {text}
    </Code>
  );
}

function shorten(answer: Record<string, unknown>): Record<string, unknown> {
  const isToken = (name: string, value: unknown): value is string =>
    name.endsWith('_token') && typeof value === 'string';
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, isToken(name, value) ? `${value.slice(0, 10)}…` : value]),
  );
}
