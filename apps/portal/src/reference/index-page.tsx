import Link from '@docusaurus/Link';
import useBaseUrl from '@docusaurus/useBaseUrl';
import Heading from '@theme/Heading';
import type { ListedTag } from '../../plugins/api-reference.ts';
import { tagPath } from '../../reference/addresses.ts';
import type { SecurityScheme } from '../../reference/openapi.ts';
import { Frame, type Menu } from './frame.tsx';
import { inlineCode } from './inline-code.ts';
import { OperationList } from './operation-list.tsx';
import styles from './reference.module.css';

interface Index {
  version: string;
  description: string;
  schemes: Record<string, SecurityScheme>;
  tags: ListedTag[];
}

const schemeTitles: Readonly<Record<string, string>> = {
  apiKey: 'API key',
  authenticatedEncryption: 'Authenticated encryption',
  ethereum: 'Ethereum signature',
  collabLandOAuth2: 'OAuth2',
};

export default function IndexPage({ index, menu }: { index: Index; menu: Menu }) {
  const count = index.tags.reduce((sum, { operations }) => sum + operations.length, 0);
  return (
    <Frame title="API reference" description={`Every operation of the Latchkey API ${index.version}.`} menu={menu}>
      <Heading as="h1">API reference</Heading>
      <p>
        {count} operations in {index.tags.length} resources, version {index.version}. {inlineCode(index.description)}
      </p>
      <p>
        <a href={useBaseUrl('/apis/openapi.json')} download>
          Download the OpenAPI description
        </a>{' '}
        · <Link to="/docs/intro">Getting started</Link> ·{' '}
        <Link to="/docs/downstream-integrations/api/authentication">Authentication</Link> ·{' '}
        <a href="#credentials">Credentials</a> · <a href="#errors">Errors</a>
      </p>
      <Heading as="h2" id="resources">
        Resources
      </Heading>
      {index.tags.map((tag, place) => (
        <section className={styles.resource} key={tag.name}>
          {tag.group === index.tags[place - 1]?.group ? null : <p className={styles.group}>{tag.group}</p>}
          <Heading as="h3" id={`tag/${tag.name}`}>
            <Link to={tagPath(tag.name)}>{tag.title}</Link>
          </Heading>
          <p>{tag.description}</p>
          <OperationList tag={tag} />
        </section>
      ))}
      <Schemes schemes={index.schemes} />
      <ErrorShape />
    </Frame>
  );
}

function Schemes({ schemes }: Pick<Index, 'schemes'>) {
  return (
    <>
      <Heading as="h2" id="credentials">
        Credentials
      </Heading>
      <p>An operation accepts any of these, if its scopes are covered. Operations marked open need none.</p>
      <dl className={styles.schemes}>
        {Object.entries(schemes).map(([name, { in: place, name: header, description, flows }]) => (
          <div key={name}>
            <dt>
              {schemeTitles[name] ?? name}{' '}
              {header === undefined ? null : (
                <span className={styles.muted}>
                  {place} <code>{header}</code>
                </span>
              )}
            </dt>
            <dd>
              {inlineCode(description ?? '')}
              {flows === undefined ? null : ` Flows: ${Object.keys(flows).map(readableFlow).join(', ')}.`}
            </dd>
          </div>
        ))}
      </dl>
      <details className={styles.scopes}>
        <summary>The scopes of OAuth2 tokens and AE tokens</summary>
        <dl className={styles.scopeList}>
          {Object.entries(Object.values(schemes.collabLandOAuth2?.flows ?? {})[0]?.scopes ?? {}).map(
            ([scope, text]) => (
              <div key={scope}>
                <dt>
                  <code>{scope}</code>
                </dt>
                <dd>{text}</dd>
              </div>
            ),
          )}
        </dl>
      </details>
    </>
  );
}

const sampleError = {
  error: {
    statusCode: 403,
    name: 'ForbiddenError',
    message: 'This operation needs one of these scopes: token-gating.',
    code: 'SCOPE_NOT_ALLOWED',
  },
};

function ErrorShape() {
  return (
    <>
      <Heading as="h2" id="errors">
        Errors
      </Heading>
      <p>
        Every error has one shape: <code>error</code> with <code>name</code>, <code>message</code>,{' '}
        <code>statusCode</code>, <code>code</code> and, where it helps, <code>details</code>. 400 is a request that
        cannot be read, 401 a missing or bad credential, 403 one that may not do this. The field <code>stack</code> is
        never sent. All codes are in <Link to="/docs/downstream-integrations/">Using the Latchkey API</Link>.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>
        <code>{JSON.stringify(sampleError, null, 2)}</code>
      </pre>
    </>
  );
}

function readableFlow(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
