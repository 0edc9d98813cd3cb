import Link from '@docusaurus/Link';
import useBrokenLinks from '@docusaurus/useBrokenLinks';
import Heading from '@theme/Heading';
import { useState } from 'react';
import { type VerifierName, verifiers } from '../../reference/verifiers.ts';
import type { WebhookEvent } from '../../reference/webhook-events.ts';
import { Frame, type Menu } from './frame.tsx';
import styles from './reference.module.css';
import { CodeBlock } from './samples/code-block.tsx';
import sampleStyles from './samples/samples.module.css';

const names = ['client', 'node', 'python', 'go'] as const satisfies readonly VerifierName[];

export default function WebhooksPage({ events, menu }: { events: WebhookEvent[]; menu: Menu }) {
  const links = useBrokenLinks();
  for (const { type } of events) links.collectAnchor(anchorOf(type));
  const description = `The ${events.length} events that webhooks send, with payloads and how to check signatures.`;
  return (
    <Frame title="Webhooks" description={description} menu={menu} current="webhooks">
      <Heading as="h1">Webhooks and events</Heading>
      <p>
        Your server hears of changes by <code>POST</code>: set an address and the events you want with{' '}
        <Link to="/apis/latchkey/setWebhook">Set the webhook</Link>. Answer with a status from 200 to 299 within 15
        seconds. A message can come more than once and out of order: drop repetitions by the header{' '}
        <code>webhook-id</code>.
      </p>
      <Verifier />
      {events.map((event) => (
        <Event key={event.type} event={event} />
      ))}
    </Frame>
  );
}

function Verifier() {
  const [name, setName] = useState<VerifierName>('client');
  return (
    <section className={styles.operation} aria-labelledby="verify">
      <div className={styles.about}>
        <Heading as="h2" id="verify">
          Check the signature
        </Heading>
        <p>
          Messages are signed as in Standard Webhooks 1.0, with the secret (<code>whsec_…</code>) that was shown when
          your client application was created. Check the body as it arrived, before any JSON parser, and refuse messages
          older than five minutes.
        </p>
      </div>
      <CodeBlock name="verifier" code={verifiers[name].code}>
        <span className={sampleStyles.name}>Verifier</span>
        <select
          className={sampleStyles.languages}
          aria-label="Language of the verifier"
          value={name}
          onChange={(event) => setName(names.find((one) => one === event.target.value) ?? 'client')}
        >
          {names.map((one) => (
            <option key={one} value={one}>
              {verifiers[one].title}
            </option>
          ))}
        </select>
      </CodeBlock>
    </section>
  );
}

function Event({ event: { type, meaning, payload } }: { event: WebhookEvent }) {
  return (
    <section className={styles.operation} id={anchorOf(type)} aria-labelledby={`${anchorOf(type)}/title`}>
      <div className={styles.about}>
        <h2 className={styles.title} id={`${anchorOf(type)}/title`}>
          <code>{type}</code>{' '}
          <a className={styles.anchor} href={`#${anchorOf(type)}`} aria-label={`Link to ${type}`}>
            #
          </a>
        </h2>
        <p>{meaning}</p>
      </div>
      <CodeBlock name={`payload of ${type}`} code={JSON.stringify(payload, undefined, 2)}>
        <span className={sampleStyles.name}>Payload</span>
      </CodeBlock>
    </section>
  );
}

function anchorOf(type: string): string {
  return `event/${type}`;
}
