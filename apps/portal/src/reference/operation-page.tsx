import Link from '@docusaurus/Link';
import useBrokenLinks from '@docusaurus/useBrokenLinks';
import { usePluginData } from '@docusaurus/useGlobalData';
import Heading from '@theme/Heading';
import { useEffect, useState } from 'react';
import type { ListedTag } from '../../plugins/api-reference.ts';
import { tagPath } from '../../reference/addresses.ts';
import type { Field } from '../../reference/fields.ts';
import type { OperationModel } from '../../reference/model.ts';
import { oauthSamples } from '../../reference/oauth-samples.ts';
import folds from './fold.module.css';
import { countInside, isFolded, parentsOf, pathsOf } from './fold.ts';
import { Frame, type Menu, Method } from './frame.tsx';
import { inlineCode } from './inline-code.ts';
import { LiveMark } from './live/live-changes.tsx';
import styles from './reference.module.css';
import { ExamplePanel } from './samples/example-panel.tsx';

interface Props {
  operation: OperationModel;
  tag: ListedTag;
  menu: Menu;
}

/** One operation: who may call it, its fields, its errors, and a recorded call beside them. */
export default function OperationPage({ operation, tag, menu }: Props) {
  const { anchor, method, path, summary, description, parameters, body, answer, guides } = operation;
  const links = useBrokenLinks();
  links.collectAnchor(anchor);
  return (
    <Frame
      title={`${summary} (${method} ${path})`}
      description={firstSentence(description)}
      menu={menu}
      current={tag.name}
      tag={tag}
      operationId={operation.id}
    >
      <section className={styles.operation} id={anchor} aria-labelledby={`${anchor}/title ${anchor}/line`}>
        <div className={styles.about}>
          <p className={styles.muted}>
            <Link to={tagPath(tag.name)}>{tag.title}</Link>
          </p>
          <Heading as="h1" id={`${anchor}/title`}>
            {summary}
          </Heading>
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
    </Frame>
  );
}

function firstSentence(description: string): string {
  return (/^.+?[.!?](?=\s|$)/s.exec(description)?.[0] ?? description).replaceAll('`', '');
}

/** Marks operations that clients of the published API do not know. */
function OwnMark({ isOwn }: { isOwn: boolean }) {
  const data = usePluginData('api-reference') as { version: string };
  return isOwn ? (
    <span className={styles.own} title={`Not part of the published API ${data.version}`}>
      beyond {data.version}
    </span>
  ) : null;
}

/** The display names of the kinds of credential. */
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

/** Who may call an operation, how often, and what a call triggers. */
function Access({ operation }: { operation: OperationModel }) {
  const { isOpen, facts, isRepeatable } = operation;
  return (
    <dl className={styles.access}>
      <dt>Who may call</dt>
      <dd>
        {isOpen ? whoMayOpen(operation) : whoMay(operation)}
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

/** OAuth2 endpoints take the credentials of an application, which are no credential of the API. */
function whoMayOpen({ id, path }: OperationModel): string {
  const isOauth = path.startsWith('/oauth2/') && oauthSamples[id] !== undefined;
  return isOauth ? 'An application, with its client id and client secret.' : 'Everyone: it needs no credential.';
}

function whoMay({ credentials, scopes }: OperationModel) {
  const names = credentials.map((kind) => kinds[kind] ?? kind).join(', ');
  const needed = scopes.length === 0 ? '' : ` The scope is ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
  return inlineCode(`${names.charAt(0).toUpperCase()}${names.slice(1)}.${needed}`);
}

/** Each way in which the operation refuses: why, what to do, and what a server responded. */
function Errors({ operation: { anchor, refusals = [] } }: { operation: OperationModel }) {
  return (
    <>
      <h2 className={styles.part} id={`${anchor}/errors`}>
        Errors
      </h2>
      <dl className={styles.access}>
        {refusals.map(({ code, status, meaning, advice, body, route }) => (
          <div key={code}>
            <dt>
              <code>{code}</code> <span className={styles.muted}>{status}</span>
            </dt>
            <dd>
              {meaning} {inlineCode(advice)}
              <details>
                <summary>
                  {route === undefined ? 'Recorded response' : inlineCode(`Recorded response of \`${route}\``)}
                </summary>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
                <pre tabIndex={0}>
                  <code>{JSON.stringify(body, null, 2)}</code>
                </pre>
              </details>
            </dd>
          </div>
        ))}
      </dl>
      <p className={styles.muted}>
        All errors have the same format.{' '}
        <Link to="/docs/downstream-integrations/#what-an-error-contains">What each code means</Link>.
      </p>
    </>
  );
}

interface TableProps {
  anchor: string;
  title: string;
  note?: string;
  fields: readonly (Field & { in?: string })[];
  /** Show the title even when there is no field. */
  always?: boolean;
}

/** A table of fields whose rows can be linked to. Nested objects are folded. */
function FieldTable({ anchor, title, note, fields, always = false }: TableProps) {
  const paths = pathsOf(fields);
  const inside = countInside(fields);
  const [unfolded, setUnfolded] = useUnfolded(anchor, paths);
  const forms = [...new Set(fields.flatMap((field) => Object.keys(field.forms ?? {})))];
  const [form, setForm] = useState(forms[0] ?? '');
  if (fields.length === 0 && !always) return null;
  const foldable = paths.filter((_, index) => (inside[index] ?? 0) > 0);
  const isAll = foldable.every((path) => unfolded.has(path));
  const toggle = (path: string) => {
    const next = new Set(unfolded);
    if (!next.delete(path)) next.add(path);
    setUnfolded(next);
  };
  return (
    <>
      <h2 className={styles.part}>
        {title} {note === undefined ? null : <span className={styles.muted}>{note}</span>}{' '}
        {foldable.length < 2 ? null : (
          <button
            type="button"
            className={folds.unfold}
            onClick={() => setUnfolded(isAll ? new Set() : new Set(foldable))}
            aria-label={`${isAll ? 'Hide nested fields' : 'Show all fields'} of ${title}`}
          >
            {isAll ? 'Hide nested fields' : 'Show all fields'}
          </button>
        )}
      </h2>
      {forms.length === 0 ? null : <Forms of={title} names={forms} chosen={form} onChoose={setForm} />}
      {fields.length === 0 ? null : (
        <section
          className={styles.tableScroll}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          aria-label={`${title} of this operation: ${anchor}`}
        >
          <table className={styles.table}>
            <tbody>
              {fields.map((field, index) => {
                const path = paths[index] ?? field.name;
                const id = `${anchor}/${path}`;
                const { required, text } = field.forms?.[form] ?? field;
                return (
                  <tr
                    key={id}
                    className={folds.row}
                    id={id}
                    data-folded={
                      isFolded(path, unfolded) || (field.forms !== undefined && field.forms[form] === undefined)
                    }
                  >
                    <th scope="row" data-depth={field.depth}>
                      <a className={styles.field} href={`#${id}`}>
                        {field.name}
                      </a>{' '}
                      <span className={styles.type}>
                        {field.type}
                        {field.in === undefined ? '' : ` in ${field.in}`}
                        {required ? <strong className={styles.required}> required</strong> : null}
                      </span>{' '}
                      <Unfold
                        count={inside[index] ?? 0}
                        name={field.name}
                        isOpen={unfolded.has(path)}
                        onPress={() => toggle(path)}
                      />
                    </th>
                    <td>{inlineCode(text)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

interface FormsProps {
  of: string;
  names: readonly string[];
  chosen: string;
  onChoose(name: string): void;
}

/** The variants of a body, of which one is shown. */
function Forms({ of, names, chosen, onChoose }: FormsProps) {
  return (
    <fieldset className={folds.forms}>
      <legend className={styles.muted}>{of} in one of these forms</legend>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          className={folds.unfold}
          aria-pressed={name === chosen}
          onClick={() => onChoose(name)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

interface UnfoldProps {
  count: number;
  name: string;
  isOpen: boolean;
  onPress(): void;
}

function Unfold({ count, name, isOpen, onPress }: UnfoldProps) {
  if (count === 0) return null;
  const words = count === 1 ? 'one field' : `${count} fields`;
  return (
    <button
      type="button"
      className={folds.unfold}
      aria-expanded={isOpen}
      aria-label={`${isOpen ? 'Hide' : 'Show'} ${words} of ${name}`}
      onClick={onPress}
    >
      {isOpen ? 'Hide' : 'Show'} {words}
    </button>
  );
}

/** What is unfolded. A link to a field unfolds everything above it. */
function useUnfolded(anchor: string, paths: readonly string[]) {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const known = paths.join(' ');
  useEffect(() => {
    if (!known.includes('.')) return undefined;
    const openAddressed = () => {
      const hash = decodeURIComponent(window.location.hash.slice(1));
      const path = hash.startsWith(`${anchor}/`) ? hash.slice(anchor.length + 1) : '';
      if (path === '' || !known.split(' ').includes(path)) return;
      setUnfolded((before) => new Set([...before, ...parentsOf(path)]));
    };
    openAddressed();
    window.addEventListener('hashchange', openAddressed);
    return () => window.removeEventListener('hashchange', openAddressed);
  }, [anchor, known]);
  return [unfolded, setUnfolded] as const;
}
