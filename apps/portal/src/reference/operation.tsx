import Link from '@docusaurus/Link';
import { usePluginData } from '@docusaurus/useGlobalData';
import type { OperationModel } from '../../reference/model.ts';
import { Access, Errors } from './access.tsx';
import { FieldTable } from './field-table.tsx';
import { Method } from './frame.tsx';
import { inlineCode } from './inline-code.ts';
import { LiveMark } from './live/live-changes.tsx';
import styles from './reference.module.css';
import { ExamplePanel } from './samples/example-panel.tsx';

export function Operation({ operation }: { operation: OperationModel }) {
  const { anchor, method, path, summary, description, parameters, body, answer, guides } = operation;
  return (
    <section className={styles.operation} id={anchor} aria-labelledby={`${anchor}/title ${anchor}/line`}>
      <div className={styles.about}>
        <h2 className={styles.title} id={`${anchor}/title`}>
          {summary}{' '}
          <a className={styles.anchor} href={`#${anchor}`} aria-label={`Link to ${summary}`}>
            #
          </a>
        </h2>
        <p className={styles.line} id={`${anchor}/line`}>
          <Method name={method} /> <code className={styles.path}>{path}</code> <OwnMark isOwn={operation.isOwn} />{' '}
          <LiveMark method={method} path={path} />
        </p>
        <p>{inlineCode(description)}</p>
        <Access operation={operation} />
        <FieldTable anchor={anchor} title="Parameters" fields={parameters} />
        {body === undefined ? null : (
          <FieldTable
            anchor={`${anchor}/body`}
            title={body.required ? 'Body' : 'Body (optional)'}
            note={body.type}
            fields={body.fields}
          />
        )}
        <FieldTable
          anchor={`${anchor}/answer`}
          title={`Response ${answer.status}`}
          note={[answer.type, answer.text].filter((part) => part !== '').join('. ')}
          fields={answer.fields}
          always
        />
        <Errors operation={operation} />
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
      </div>
      <ExamplePanel operation={operation} />
    </section>
  );
}

/** Clients of the published API know nothing of it. */
function OwnMark({ isOwn }: { isOwn: boolean }) {
  const data = usePluginData('api-reference') as { version: string };
  return isOwn ? (
    <span className={styles.own} title={`Not part of the published API ${data.version}`}>
      beyond {data.version}
    </span>
  ) : null;
}
