import Link from '@docusaurus/Link';
import type { OperationModel } from '../../reference/model.ts';
import { inlineCode } from './inline-code.ts';
import styles from './reference.module.css';

/** What people call the kinds of credential. */
const kinds: Readonly<Record<string, string>> = {
  'api-key': 'an API key',
  'client-token': 'a token of a client application',
  'access-token': 'an access token that a user allowed',
  session: 'a signed-in user (AE token)',
  'console-session': 'the console',
  'wallet-signature': 'a wallet signature',
  'operator-app': 'an application of the operator',
  'operator-key': 'the operator’s key',
};

/** Who may call an operation, how often, and what a call sets going. */
export function Access({ operation }: { operation: OperationModel }) {
  const { isOpen, facts, isRepeatable } = operation;
  return (
    <dl className={styles.access}>
      <dt>Who may call</dt>
      <dd>
        {isOpen ? 'Everyone: it needs no credential.' : whoMay(operation)}
        {facts?.object === undefined ? null : (
          <> {inlineCode(`You need access to the ${facts.object.what} in \`${facts.object.param}\`.`)}</>
        )}
      </dd>
      <dt>Limits</dt>
      <dd>
        Counts against your <Link to="/docs/downstream-integrations/api/rate-limiting">rate limit</Link>.
        {isRepeatable ? inlineCode(' Send an `Idempotency-Key` to repeat it safely: it runs once.') : null}
      </dd>
      {facts === undefined || facts.events.length === 0 ? null : (
        <>
          <dt>Webhooks</dt>
          <dd>{inlineCode(`Can cause ${facts.events.map((event) => `\`${event}\``).join(', ')}.`)}</dd>
        </>
      )}
    </dl>
  );
}

function whoMay({ credentials, scopes }: OperationModel) {
  const names = credentials.map((kind) => kinds[kind] ?? kind).join(', ');
  const needed = scopes.length === 0 ? '' : ` The scope is ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
  return inlineCode(`${names.charAt(0).toUpperCase()}${names.slice(1)}.${needed}`);
}

/** The errors of an operation: those of its own with what to do, and the statuses of all. */
export function Errors({ operation: { errors, facts } }: { operation: OperationModel }) {
  return (
    <>
      <h3 className={styles.part}>Errors</h3>
      {facts === undefined || facts.errors.length === 0 ? null : (
        <dl className={styles.access}>
          {facts.errors.map(({ code, status, meaning, advice }) => (
            <div key={code}>
              <dt>
                <code>{code}</code> <span className={styles.muted}>{status}</span>
              </dt>
              <dd>
                {meaning} {inlineCode(advice)}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <p className={styles.muted}>
        Statuses: {errors.join(', ')}. All errors have the same format.{' '}
        <Link to="/docs/downstream-integrations/#errors">What each code means</Link>.
      </p>
    </>
  );
}
