import {
  ActionIcon,
  Alert,
  Badge,
  CloseButton,
  Code,
  Stack,
  Text,
  TextInput,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { IconCheck, IconCopy, IconKey, IconSearch } from '../icons.ts';
import { t } from '../messages/index.ts';
import { formatExactTime, formatTime, formatTimeAgo } from '../words.ts';
import styles from './row.module.css';

/** One row of a list: a picture, a title, details, and actions. */
export function Row({
  picture,
  title,
  note,
  states,
  actions,
}: {
  picture?: ReactNode;
  title: ReactNode;
  note?: ReactNode;
  states?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className={styles.row}>
      {picture}
      <div className={styles.words}>
        <div className={styles.title}>
          <span className={styles.name}>{title}</span>
          {states}
        </div>
        {note !== undefined && <div className={styles.note}>{note}</div>}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

/** A picture that is served here or a data URL, otherwise the first letter of the name. Nothing else is loaded. */
export function Picture({
  source,
  name,
  size = 36,
}: {
  source?: string | undefined;
  name: string;
  size?: 24 | 36 | 56;
}) {
  const [broken, setBroken] = useState<string>();
  const isOurs = source !== undefined && (source.startsWith('data:image/') || /^\/(?!\/)/.test(source));
  const className = `${styles.picture} ${styles[`s${size}`]}`;
  if (isOurs && source !== broken)
    return (
      <img
        className={className}
        src={source}
        alt=""
        width={size}
        height={size}
        loading="lazy"
        onError={() => setBroken(source)}
      />
    );
  return (
    <span className={`${className} ${styles.letter}`} aria-hidden="true">
      {[...name.trim()][0]?.toUpperCase() ?? '?'}
    </span>
  );
}

export type Tone = 'good' | 'bad' | 'warn' | 'plain';
const colors = { good: 'green', bad: 'red', warn: 'yellow', plain: 'gray' } as const;

/** A state in a word or two. The color only repeats the text. */
export function State({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <Badge
      color={colors[tone]}
      variant="light"
      tt="none"
      fw={550}
      radius="sm"
      classNames={{ root: styles.state ?? '', label: styles.stateWords ?? '' }}
    >
      {children}
    </Badge>
  );
}

/** A time in the user's time zone and format: relative if that matters more, and always with the exact time. */
export function Time({ at, isRelative = false }: { at: string | Date; isRelative?: boolean }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return null;
  return (
    <time dateTime={date.toISOString()} title={formatExactTime(date)}>
      {isRelative ? formatTimeAgo(date, new Date()) : formatTime(date)}
    </time>
  );
}

/** Secrets that the server shows once, to be copied now. */
export function NewSecrets({ secrets }: { secrets: readonly { what: string; value: string | undefined }[] }) {
  const shown = secrets.flatMap(({ what, value }) => (value === undefined ? [] : [{ what, value }]));
  if (shown.length === 0) return null;
  return (
    <Alert color="green" title={t('secrets.once')} icon={<IconKey />}>
      <Stack gap="xs">
        {shown.map(({ what, value }) => (
          <div key={what}>
            <Text size="sm" fw={550}>
              {what}
            </Text>
            <CopyText text={value} what={what} />
          </div>
        ))}
      </Stack>
    </Alert>
  );
}

/** A text to copy, such as an address or a key, with a copy button. */
export function CopyText({ text, what, shown = text }: { text: string; what: string; shown?: string }) {
  const [result, setResult] = useState<'copied' | 'byHand'>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setResult('copied');
    } catch {
      setResult('byHand');
    }
  };
  const label = t('copy.what', { what });
  const message = result && t(`copy.${result}`);
  return (
    <span className={styles.copy}>
      <Code className={styles.copied} title={text}>
        {shown}
      </Code>
      <Tooltip label={message ?? label}>
        <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={copy}>
          {result === 'copied' ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
      <VisuallyHidden role="status">{message}</VisuallyHidden>
    </span>
  );
}

const pauseMs = 200;

/** Searches while typing, debounced. */
export function SearchField({
  label,
  placeholder,
  value,
  onSearch,
}: {
  label: string;
  placeholder?: string;
  value: string;
  onSearch(text: string): void;
}) {
  const [text, setText] = useState(value);
  const searchSoon = useDebouncedCallback((wanted: string) => onSearch(wanted.trim()), pauseMs);
  const change = (wanted: string) => {
    setText(wanted);
    searchSoon(wanted);
  };
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder ?? label}
      value={text}
      maxLength={200}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<IconSearch size={16} />}
      rightSection={
        text === '' ? null : <CloseButton size="sm" aria-label={t('search.clear')} onClick={() => change('')} />
      }
    />
  );
}

/** A search field and filters above a list. */
export function FilterBar({ children }: { children: ReactNode }) {
  return <div className={styles.bar}>{children}</div>;
}
