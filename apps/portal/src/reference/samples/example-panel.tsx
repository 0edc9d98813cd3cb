import { useState, useSyncExternalStore } from 'react';
import type { OperationModel } from '../../../reference/model.ts';
import { oauthCurl, oauthSamples } from '../../../reference/oauth-samples.ts';
import { answerText } from '../../../reference/recorded.ts';
import { useLive } from '../live/store.ts';
import { useCredential } from '../try-it/credential.ts';
import { TryIt } from '../try-it/index.tsx';
import { prepare } from '../try-it/prepare.ts';
import { chooseCommunity } from './chosen-community.ts';
import { CodeBlock } from './code-block.tsx';
import { type Language, languageNames, languages } from './languages.ts';
import { type OwnValues, withOwnValues } from './own-values.ts';
import { isGiven, sampleCredential, withKey } from './sample-credential.ts';
import styles from './samples.module.css';
import { startInputs } from './start-inputs.ts';
import { useOwnValues } from './use-own-values.ts';

/** The server in examples until the reader sets one. */
const sampleAddress = 'http://127.0.0.1:3000';

/** Shown beside the text: a recorded call in the reader's language, with its response. */
export function ExamplePanel({ operation }: { operation: OperationModel }) {
  return (
    <div className={styles.panel}>
      {oauthSamples[operation.id] === undefined || !operation.path.startsWith('/oauth2/') ? (
        <RequestBlock operation={operation} />
      ) : (
        <OauthBlocks operation={operation} />
      )}
      <TryIt operation={operation} />
      <AnswerBlock operation={operation} />
    </div>
  );
}

/** These take the credentials of the application, which no recorded call contains. */
function OauthBlocks({ operation: { id, method, path } }: { operation: OperationModel }) {
  const live = useLive();
  const address = 'address' in live ? live.address : sampleAddress;
  return (oauthSamples[id] ?? []).map((sample) => (
    <div key={sample.title}>
      <p className={styles.own}>{sample.text}</p>
      <CodeBlock name={`${sample.title}: request of ${method} ${path}`} code={oauthCurl(path, address, sample)}>
        <span className={styles.name}>{sample.title}</span>
      </CodeBlock>
    </div>
  ));
}

function RequestBlock({ operation }: { operation: OperationModel }) {
  const language = useLanguage();
  const kept = useCredential();
  const live = useLive();
  const address = 'address' in live ? live.address : sampleAddress;
  const { own } = useOwnValues(operation);
  const { inputs, names } = withOwnValues(operation, startInputs(operation), own);
  const credential = sampleCredential(operation, kept);
  const prepared = prepare(operation, inputs, address, credential);
  if (operation.example === undefined || 'problems' in prepared) return null;
  const write = (isWhole: boolean) =>
    languages[language].write({
      operation,
      inputs,
      address,
      prepared: operation.isOpen ? prepared.prepared : withKey(prepared.prepared, kept, isWhole),
    });
  const line = `${operation.method} ${operation.path}`;
  return (
    <>
      {names.length === 0 ? null : <p className={styles.own}>This sample names {names.join(', ')}.</p>}
      <ChooseCommunity own={own} />
      <CodeBlock name={`request of ${line}`} code={write(false)} copied={isGiven(kept) ? write(true) : write(false)}>
        <span className={styles.name}>Request</span>
        <select
          className={styles.languages}
          aria-label={`Language of the example of ${line}`}
          value={language}
          onChange={(event) => chooseLanguage(event.target.value)}
        >
          {languageNames.map((name) => (
            <option key={name} value={name}>
              {languages[name].title}
            </option>
          ))}
        </select>
      </CodeBlock>
    </>
  );
}

/** Shown to a reader with several communities. */
function ChooseCommunity({ own: { communities = [], community } }: { own: OwnValues }) {
  if (community === undefined || communities.length < 2) return null;
  return (
    <label className={styles.own}>
      Samples name:{' '}
      <select value={community.id} onChange={(event) => chooseCommunity(event.target.value)}>
        {communities.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function AnswerBlock({ operation: { method, path, example } }: { operation: OperationModel }) {
  const [chosen, setChosen] = useState(0);
  if (example === undefined) return null;
  const answers = [example.response, ...(example.refusals ?? [])];
  const answer = answers[chosen] ?? example.response;
  const line = `${method} ${path}`;
  return (
    <CodeBlock name={`response ${answer.status} of ${line}`} code={answerText(answer)}>
      <span className={styles.name}>Response</span>
      {answers.map(({ status, body }, index) => (
        <button
          key={`${status} ${codeOf(body)}`}
          type="button"
          className={styles.status}
          data-good={status < 400}
          aria-pressed={index === chosen}
          aria-label={`Response ${status} of ${line}`}
          title={codeOf(body)}
          onClick={() => setChosen(index)}
        >
          {status}
        </button>
      ))}
    </CodeBlock>
  );
}

/** Returns the error code, if the response is an error. */
function codeOf(body: unknown): string {
  return /"code":"([A-Z_]+)"/.exec(JSON.stringify(body) ?? '')?.[1] ?? '';
}

const key = 'latchkey.language';
let current: Language | undefined;
const listeners = new Set<() => void>();

/** The language of all examples in this tab. */
function useLanguage(): Language {
  return useSyncExternalStore(subscribe, currentLanguage, () => 'curl');
}

function chooseLanguage(name: string): void {
  current = languageNames.find((one) => one === name) ?? 'curl';
  try {
    sessionStorage.setItem(key, current);
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function currentLanguage(): Language {
  current ??= storedLanguage();
  return current;
}

function storedLanguage(): Language {
  try {
    const stored = sessionStorage.getItem(key);
    return languageNames.find((one) => one === stored) ?? 'curl';
  } catch {
    return 'curl';
  }
}
