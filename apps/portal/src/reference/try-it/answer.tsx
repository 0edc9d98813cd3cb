import Link from '@docusaurus/Link';
import styles from './console.module.css';
import { explain } from './explain.ts';
import type { AnswerBody } from './read-body.ts';
import type { Outcome } from './send.ts';

interface Props {
  outcome: Outcome;
  address: string;
  scopes: readonly string[];
}

/** The server's response, and an explanation of it. */
export function AnswerView({ outcome, address, scopes }: Props) {
  const explanation = explain(outcome, { address, pageOrigin: location.origin, scopes });
  return (
    <div className={styles.answer}>
      <p className={styles.status} data-good={outcome.kind === 'answer' && outcome.status < 400}>
        <strong>{titleOf(outcome)}</strong> after {outcome.ms} ms
      </p>
      {explanation === undefined ? null : (
        <div className={styles.explanation}>
          <p className={styles.words}>
            {explanation.text}{' '}
            {explanation.guide === undefined ? null : (
              <>
                See <Link to={explanation.guide.path}>{explanation.guide.title}</Link>.
              </>
            )}
          </p>
          {explanation.checks === undefined ? null : (
            <ul>
              {explanation.checks.map((check) => (
                <li key={check}>{check}</li>
              ))}
            </ul>
          )}
        </div>
      )}
      {outcome.kind === 'answer' ? (
        <>
          <Headers headers={outcome.headers} />
          <Body body={outcome.body} />
        </>
      ) : null}
    </div>
  );
}

function titleOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'answer':
      return `${outcome.status} ${outcome.statusText}`.trim();
    case 'redirect':
      return 'Redirect';
    case 'unreachable':
      return 'No answer';
  }
}

function Headers({ headers }: { headers: readonly [string, string][] }) {
  if (headers.length === 0) return null;
  return (
    <details>
      <summary>Headers that the browser shows ({headers.length})</summary>
      <dl className={styles.headers}>
        {headers.map(([name, value]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Body({ body }: { body: AnswerBody }) {
  switch (body.kind) {
    case 'empty':
      return <p className={styles.note}>The response has no body.</p>;
    case 'image':
      return <img className={styles.picture} src={body.source} alt="The server’s response" />;
    case 'other':
      return (
        <p className={styles.note}>
          {body.bytes} bytes of {body.type}, which are not shown.
        </p>
      );
    case 'text':
      return (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
          <pre className={styles.pre} tabIndex={0}>
            {body.text}
          </pre>
          {body.left === 0 ? null : <p className={styles.note}>… and {body.left} more characters.</p>}
        </>
      );
  }
}
