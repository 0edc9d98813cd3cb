import { Button, Group, PasswordInput, SegmentedControl, Select, Text, Textarea, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ChangeEvent, useRef, useState } from 'react';
import { type Answer, useLive, useOperation } from '../../shared/api/index.ts';
import { useScreenParams } from '../../shared/screen.ts';
import { Form, Page, QueryList, Row, Section, State, Time, useForm } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { Preview } from './preview.tsx';
import styles from './rule-import.module.css';
import { columns, type Source, samples, sayHelp, sources } from './sources.ts';
import { type Request, useNewImport } from './use-new-import.ts';

export function View() {
  const { communityId, importId } = useScreenParams('communityId', 'importId');
  useLive({ communityId });
  return importId === '' ? (
    <NewImport communityId={communityId} />
  ) : (
    <Preview key={importId} communityId={communityId} importId={importId} />
  );
}

/** Chooses the source of rules, and reads them. */
function NewImport({ communityId }: { communityId: string }) {
  const [source, setSource] = useState<Source>('original');
  const [way, setWay] = useState('export');
  const [content, setContent] = useState('');
  const start = useNewImport(communityId);
  const access = useForm({ baseUrl: '', apiKey: '', communityId: '' }, start.error);
  const readsApi = source === 'original' && way === 'api';
  const isFilled = readsApi ? Object.values(access.values).every((text) => text.trim() !== '') : content.trim() !== '';
  const submit = () => {
    const { baseUrl, apiKey, communityId: there } = access.values;
    const original = { baseUrl: baseUrl.trim(), apiKey: apiKey.trim(), communityId: there.trim() };
    const body: Request = readsApi ? { source, original } : { source, content };
    start.run({ communityId, body });
  };
  const sample = samples[source];
  const isTable = sample.includes(',');
  return (
    <Page
      title={t('ruleImport.title')}
      lead={t('ruleImport.lead')}
      crumbs={[{ title: t('ruleImport.rules'), to: `/communities/${encodeURIComponent(communityId)}/rules` }]}
    >
      <Section title={t('ruleImport.where')}>
        <Form
          submit={t('ruleImport.submit')}
          canSubmit={isFilled}
          action={start}
          onSubmit={submit}
          buttons={
            <Text size="sm" c="dimmed">
              {t('ruleImport.nothingYet')}
            </Text>
          }
        >
          <Select
            label={t('ruleImport.source')}
            allowDeselect={false}
            data={sources.map((value) => ({ value, label: t(`ruleImport.${value}`) }))}
            value={source}
            onChange={(value) => setSource(sources.find((one) => one === value) ?? source)}
            className={styles.field}
          />
          {source === 'original' && (
            <SegmentedControl
              aria-label={t('ruleImport.how')}
              data={[
                { value: 'export', label: t('ruleImport.paste') },
                { value: 'api', label: t('ruleImport.readApi') },
              ]}
              value={way}
              onChange={setWay}
              className={styles.ways}
            />
          )}
          {readsApi ? (
            <>
              <TextInput
                label={t('ruleImport.address')}
                placeholder={t('ruleImport.addressPlaceholder')}
                maxLength={500}
                {...access.text('baseUrl')}
                className={styles.field}
              />
              <TextInput
                label={t('ruleImport.communityThere')}
                placeholder={t('ruleImport.communityTherePlaceholder')}
                maxLength={128}
                {...access.text('communityId')}
                className={styles.field}
              />
              <PasswordInput
                label={t('ruleImport.keyThere')}
                description={t('ruleImport.keyHint')}
                autoComplete="off"
                maxLength={1000}
                {...access.text('apiKey')}
                className={styles.field}
              />
            </>
          ) : (
            <>
              <ContentField value={content} sample={sample} help={sayHelp(source)} onChange={setContent} />
              {isTable && (
                <Text size="sm" c="dimmed">
                  {t('ruleImport.columns', { columns })}
                </Text>
              )}
            </>
          )}
        </Form>
      </Section>
      <EarlierImports communityId={communityId} />
    </Page>
  );
}

const list = 'GET /latchkey/communities/{communityId}/rule-imports';

/** Earlier imports of the community, to continue one or to see its result. */
function EarlierImports({ communityId }: { communityId: string }) {
  const imports = useOperation(list, { communityId });
  if (imports.data?.length === 0) return null;
  return (
    <Section title={t('ruleImport.earlier')} lead={t('ruleImport.earlierLead')}>
      <QueryList read={imports} loading={t('ruleImport.loadingEarlier')} keyOf={({ id }) => id}>
        {(one) => (
          <Row
            title={
              <Link
                className={styles.link}
                to="/communities/$communityId/rules/import/$importId"
                params={{ communityId, importId: one.id }}
              >
                {t(`ruleImport.${one.source}`)}
              </Link>
            }
            states={<Counts counts={one} />}
            note={<Time at={one.createdTime} isRelative />}
          />
        )}
      </QueryList>
    </Section>
  );
}

function Counts({ counts }: { counts: Answer<typeof list>[number] }) {
  const { imported, ready, unmapped, refused } = counts;
  return (
    <>
      {imported > 0 && <State tone="good">{t('ruleImport.countOn', { count: imported })}</State>}
      {ready > 0 && <State>{t('ruleImport.countReady', { count: ready })}</State>}
      {unmapped + refused > 0 && <State tone="warn">{t('ruleImport.countLeft', { count: unmapped + refused })}</State>}
    </>
  );
}

/** The maximum size that the server accepts. */
const longest = 900_000;

/** The export: pasted, or read from a file into the same field. */
function ContentField({
  value,
  sample,
  help,
  onChange,
}: {
  value: string;
  sample: string;
  help: string;
  onChange(text: string): void;
}) {
  const picker = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string>();
  const [name, setName] = useState<string>();
  const type = (text: string) => {
    setFault(text.length > longest ? t('ruleImport.tooLong', { limit: longest }) : undefined);
    onChange(text);
  };
  const read = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? [];
    // Allows choosing the same file again after it was changed.
    currentTarget.value = '';
    if (file === undefined) return;
    if (file.size > longest * 4) return setFault(t('ruleImport.tooLarge', { file: file.name }));
    try {
      type(await file.text());
      setName(file.name);
    } catch {
      setFault(t('ruleImport.unreadable', { file: file.name }));
    }
  };
  return (
    <div className={styles.content}>
      <Textarea
        label={t('ruleImport.export')}
        description={help}
        placeholder={sample}
        value={value}
        error={fault}
        autosize
        minRows={6}
        maxRows={16}
        spellCheck={false}
        classNames={{ input: styles.code ?? '' }}
        onChange={({ currentTarget }) => type(currentTarget.value)}
      />
      <Group gap="xs">
        <Button variant="default" size="compact-sm" onClick={() => picker.current?.click()}>
          {t('ruleImport.chooseFile')}
        </Button>
        <input
          ref={picker}
          type="file"
          accept=".json,.csv,.txt,application/json,text/csv,text/plain"
          aria-label={t('ruleImport.file')}
          hidden
          onChange={(event) => void read(event)}
        />
        {name !== undefined && (
          <Text size="sm" c="dimmed" role="status">
            {t('ruleImport.readFrom', { file: name })}
          </Text>
        )}
      </Group>
    </div>
  );
}
