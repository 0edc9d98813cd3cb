import facts from '@site/.generated/rule-kinds.json';
import { useId, useState } from 'react';
import { Button } from '../button/index.tsx';
import { type Choice, composeRule, emptyChoice } from './compose-rule.ts';
import styles from './rule-builder.module.css';
import type { RuleKind } from './rule-facts.ts';
import { Verdict } from './verdict.tsx';

const { kinds, chains, fields } = facts;

interface Props {
  start: string;
  /** Whether the form may replace the initial text: the reader has not typed into it. */
  isNotQueued: boolean;
}

const sample: Choice = {
  ...emptyChoice,
  chainId: '1',
  name: '0x2222222222222222222222222222222222222222',
  roleId: 'holder',
};

/** Builds a rule field by field; the text below can also be typed or pasted. Both are checked while typing. */
export default function Builder({ start, isNotQueued }: Props) {
  const [kindName, setKindName] = useState('ERC721');
  const [choice, setChoice] = useState<Choice>(isNotQueued ? sample : emptyChoice);
  const [text, setText] = useState(start);
  const [words, setWords] = useState('Copy');
  const id = useId();
  const kind = findKind(kindName) ?? kinds[0];
  if (kind === undefined) return null;

  const write = (nextKind: RuleKind, nextChoice: Choice) => {
    setKindName(nextKind.name);
    setChoice(nextChoice);
    setText(JSON.stringify(composeRule(nextKind, nextChoice), undefined, 2));
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setWords('Copied');
    } catch {
      setWords('Press Ctrl+C');
    }
    setTimeout(() => setWords('Copy'), 2000);
  };
  return (
    <>
      <fieldset className={styles.group}>
        <legend>Choose</legend>
        <div className={styles.grid}>
          <div>
            <label className={styles.label} htmlFor={`${id}-type`}>
              Type
            </label>
            <select
              id={`${id}-type`}
              className={styles.input}
              value={kind.name}
              // The name of one kind of asset is meaningless for another.
              onChange={(event) => write(findKind(event.target.value) ?? kind, { ...choice, name: '', tokenId: '' })}
            >
              {kinds.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </div>
          <KindFields kind={kind} choice={choice} id={id} onChange={(next) => write(kind, next)} />
        </div>
      </fieldset>
      <label className={styles.label} htmlFor={`${id}-text`}>
        The rule as JSON: change it, or paste one of yours
      </label>
      <textarea
        id={`${id}-text`}
        className={styles.editor}
        rows={Math.min(20, Math.max(7, text.split('\n').length + 1))}
        spellCheck={false}
        autoCapitalize="none"
        value={text}
        aria-describedby={`${id}-verdict`}
        onChange={(event) => setText(event.target.value)}
      />
      <Button onClick={copy} aria-live="polite">
        {words}
      </Button>
      <Verdict id={`${id}-verdict`} text={text} fields={fields} />
    </>
  );
}

function findKind(name: string): RuleKind | undefined {
  return kinds.find((kind) => kind.name === name);
}

interface KindProps {
  kind: RuleKind;
  choice: Choice;
  id: string;
  onChange: (choice: Choice) => void;
}

function KindFields({ kind, choice, id, onChange }: KindProps) {
  const set = (name: keyof Choice) => (value: string) => onChange({ ...choice, [name]: value });
  const [nameField] = kind.namedBy;
  return (
    <>
      {typeof kind.place === 'string' ? (
        <p className={styles.place}>
          Lives on <code>{kind.place}</code>; no <code>chainId</code> is needed.
        </p>
      ) : (
        <TextField
          name="chainId"
          value={choice.chainId}
          isRequired={kind.place.chainId === null}
          placeholder={kind.place.chainId === null ? '' : String(kind.place.chainId)}
          list={`${id}-chains`}
          onChange={set('chainId')}
        />
      )}
      <datalist id={`${id}-chains`}>
        {chains.map((chain) => (
          <option key={chain.id} value={chain.id}>
            {chain.name}
          </option>
        ))}
      </datalist>
      {nameField === undefined ? null : (
        <TextField
          name={nameField}
          value={choice.name}
          isRequired={kind.needsName}
          placeholder={kind.isEvmAddress ? '0x…' : ''}
          onChange={set('name')}
        />
      )}
      {kind.tokenIds === 'none' || nameField === 'tokenId' ? null : (
        <TextField
          name="tokenId"
          value={choice.tokenId}
          isRequired={kind.tokenIds === 'required'}
          placeholder="7,12,20-30"
          onChange={set('tokenId')}
        />
      )}
      <TextField name="minToken" value={choice.minToken} placeholder="1" onChange={set('minToken')} />
      <TextField name="maxToken" value={choice.maxToken} placeholder="no limit" onChange={set('maxToken')} />
      <TextField name="roleId" value={choice.roleId} placeholder="001" onChange={set('roleId')} />
    </>
  );
}

interface TextProps {
  name: string;
  value: string;
  isRequired?: boolean;
  placeholder: string;
  list?: string;
  onChange: (value: string) => void;
}

function TextField({ name, value, isRequired = false, placeholder, list, onChange }: TextProps) {
  const id = useId();
  return (
    <div>
      <label className={styles.label} htmlFor={id}>
        <code>{name}</code>
        {isRequired ? ', required' : ''}
      </label>
      <input
        id={id}
        className={styles.input}
        value={value}
        placeholder={placeholder}
        list={list}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="none"
        aria-required={isRequired}
        aria-describedby={`${id}-note`}
        onChange={(event) => onChange(event.target.value)}
      />
      <p className={styles.note} id={`${id}-note`}>
        {fields[name]?.description}
      </p>
    </div>
  );
}
