import { Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { useOperation, usePages } from '../../shared/api/index.ts';
import { EmptyState, List, Page, PagedList, Picture, Row, SearchField, Section } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';

/** Everyone who is in a community or linked a wallet. */
export function View() {
  const [search, setSearch] = useState('');
  const people = usePages('GET /latchkey/operator/people', search === '' ? {} : { search });
  const erasures = useOperation('GET /latchkey/operator/erasures', {});
  return (
    <Page title={t('people.title')} lead={t('people.lead')}>
      <Stack gap="xl">
        {(erasures.data?.length ?? 0) > 0 && (
          <Section title={t('people.erasing')} lead={t('people.erasingLead')}>
            <List items={erasures.data ?? []} keyOf={({ userId }) => userId}>
              {({ userId }) => <Text size="sm">{userId}</Text>}
            </List>
          </Section>
        )}
        <Stack gap="md">
          <SearchField label={t('people.search')} value={search} onSearch={setSearch} />
          <PagedList
            pages={people}
            loading={t('people.loading')}
            more={t('people.more')}
            keyOf={({ userId }) => userId}
            empty={
              search === '' ? (
                <EmptyState title={t('people.emptyTitle')}>{t('people.empty')}</EmptyState>
              ) : (
                <EmptyState title={t('people.noneTitle')}>{t('people.none')}</EmptyState>
              )
            }
          >
            {({ userId, name, platform, wallets }) => (
              <Row
                picture={<Picture name={name ?? userId} />}
                title={
                  <Link to="/operator/people/$userId" params={{ userId }}>
                    {name ?? userId}
                  </Link>
                }
                note={t.list([
                  ...(platform === undefined ? [] : [platformName(platform)]),
                  t('people.wallets', { count: wallets }),
                ])}
              />
            )}
          </PagedList>
        </Stack>
      </Stack>
    </Page>
  );
}
