import Link from '@docusaurus/Link';
import type { OperationModel } from '../../reference/model.ts';
import { FieldTable } from './field-table.tsx';
import { Method } from './frame.tsx';
import { inlineCode } from './inline-code.ts';
import { LiveMark } from './live/live-changes.tsx';
import styles from './reference.module.css';
import { TryIt } from './try-it/index.tsx';

export function Operation({ operation }: { operation: OperationModel }) {
  const { anchor, method, path, summary, description, parameters, body, answer, errors, guides } = operation;
  return (
    <section className={styles.operation} id={anchor} aria-labelledby={`${anchor}/title ${anchor}/line`}>
      <h2 className={styles.title} id={`${anchor}/title`}>
        {summary}{' '}
        <a className={styles.anchor} href={`#${anchor}`} aria-label={`Link to ${summary}`}>
          #
        </a>
      </h2>
      <p className={styles.line} id={`${anchor}/line`}>
        <Method name={method} /> <code className={styles.path}>{path}</code> <LiveMark method={method} path={path} />
      </p>
      <p>{inlineCode(description)}</p>
      <Access operation={operation} />
      <FieldTable anchor={anchor} title="Parameters" fields={parameters} />
      {body === undefined ? null : (
        <FieldTable
          anchor={`${anchor}/body`}
          title={body.required ? 'Body' : 'Body, which may be left out'}
          note={body.type}
          fields={body.fields}
        />
      )}
      <FieldTable
        anchor={`${anchor}/answer`}
        title={`Answer ${answer.status}`}
        note={answer.text}
        fields={answer.fields}
        always
      />
      <p className={styles.muted}>Errors: {errors.join(', ')}, in the one shape of all errors.</p>
      {guides.length === 0 ? null : (
        <p className={styles.muted}>
          Used in:{' '}
          {guides.map((guide, index) => (
            <span key={guide.path}>
              {index === 0 ? '' : ', '}
              <Link to={guide.path}>{guide.title}</Link>
            </span>
          ))}
        </p>
      )}
      <RecordedCall operation={operation} />
      <TryIt operation={operation} />
    </section>
  );
}

/** What a test sent and got, so that it is never out of date. */
function RecordedCall({ operation: { example, method, path } }: { operation: OperationModel }) {
  if (example === undefined) return null;
  return (
    <details className={styles.example}>
      <summary aria-label={`Example of ${method} ${path}`}>Example</summary>
      <p className={styles.muted}>Request</p>
      <pre className={styles.call}>{example.request}</pre>
      <p className={styles.muted}>Response</p>
      <pre className={styles.call}>{example.response}</pre>
    </details>
  );
}

function Access({ operation: { scopes, isOpen, credentials } }: { operation: OperationModel }) {
  if (isOpen) return <p className={styles.muted}>Open: needs no credential.</p>;
  return (
    <p className={styles.muted}>
      Scope:{' '}
      {scopes.length === 0
        ? 'none beyond a credential'
        : scopes.map((scope, index) => (
            <span key={scope}>
              {index === 0 ? '' : ' or '}
              <code>{scope}</code>
            </span>
          ))}
      {credentials.length === 0 ? '' : `. Takes: ${credentials.join(', ')}`}
    </p>
  );
}
