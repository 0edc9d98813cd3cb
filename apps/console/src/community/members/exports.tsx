import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { type Answer, ask, useAction, useOperation } from '../../shared/api/index.ts';
import { IconDownload } from '../../shared/icons.ts';
import { saveFile } from '../../shared/save-file.ts';
import { Dialog, Failure, QueryList, Row, State, Time, type Tone } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import { type Filter, filterInWords } from './filter.ts';

const list = 'GET /latchkey/communities/{communityId}/member-exports';

function toneOf(status: Export['status']): Tone {
  if (status === 'failed') return 'bad';
  return status === 'done' ? 'good' : 'plain';
}

interface Parts {
  communityId: string;
  filter: Filter;
  roleName(roleId: string): string;
  onClose(): void;
}

/** Starts an export of what the list shows, and lists recent ones for download. */
export function Exports({ communityId, filter, roleName, onClose }: Parts) {
  const exports = useOperation(list, { communityId });
  const start = useAction('POST /latchkey/communities/{communityId}/member-exports', { changes: [list] });
  return (
    <Dialog title={t('exports.title')} size="large" onClose={onClose}>
      <Text size="sm">{t('exports.lead')}</Text>
      <Row
        title={filterInWords(filter, roleName)}
        actions={
          <Button loading={start.isRunning} onClick={() => start.run({ communityId, body: filter })}>
            {t('exports.export')}
          </Button>
        }
      />
      <Failure error={start.error} />
      <section>
        <h3>{t('exports.recent')}</h3>
        <QueryList
          read={exports}
          loading={t('exports.loading')}
          keyOf={({ id }) => id}
          empty={
            <Text size="sm" c="dimmed">
              {t('exports.empty')}
            </Text>
          }
        >
          {(one) => <OneExport communityId={communityId} one={one} roleName={roleName} />}
        </QueryList>
      </section>
    </Dialog>
  );
}

type Export = Answer<typeof list>[number];

function OneExport({ communityId, one, roleName }: { communityId: string; one: Export } & Pick<Parts, 'roleName'>) {
  const [error, setError] = useState<unknown>();
  const [isRunning, setIsRunning] = useState(false);
  const download = async () => {
    setIsRunning(true);
    setError(undefined);
    try {
      await downloadExport(communityId, one.id, `members-${one.createdTime.slice(0, 10)}.csv`);
    } catch (problem) {
      setError(problem);
    } finally {
      setIsRunning(false);
    }
  };
  return (
    <>
      <Row
        title={filterInWords(one.filter, roleName)}
        states={<State tone={toneOf(one.status)}>{t(`exports.state.${one.status}`)}</State>}
        note={t.rich('exports.about', {
          count: one.members,
          by: one.createdByName ?? (one.createdBy.startsWith('$') ? t('common.operator') : one.createdBy),
          time: <Time key="time" at={one.createdTime} isRelative />,
        })}
        actions={
          one.status === 'done' && (
            <Button
              variant="default"
              size="compact-sm"
              leftSection={<IconDownload size={16} />}
              loading={isRunning}
              onClick={download}
            >
              {t('exports.download')}
            </Button>
          )
        }
      />
      {one.problem !== undefined && <Text size="sm">{one.problem}</Text>}
      <Failure error={error} onRetry={download} />
    </>
  );
}

/** Reads the file of an export, part by part, and saves it as a download. */
async function downloadExport(communityId: string, exportId: string, name: string): Promise<void> {
  const parts: string[] = [];
  let paginationToken: string | undefined;
  do {
    const page = await ask('GET /latchkey/communities/{communityId}/member-exports/{exportId}/content', {
      communityId,
      exportId,
      limit: 20,
      ...(paginationToken !== undefined && { paginationToken }),
    });
    parts.push(...page.items.map(({ content }) => content));
    paginationToken = page.paginationToken;
  } while (paginationToken !== undefined);
  // The byte order mark tells spreadsheets that it is UTF-8.
  saveFile(name, 'text/csv;charset=utf-8', ['\uFEFF', ...parts]);
}
