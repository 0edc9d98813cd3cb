import { Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { platformName } from '../../parts/names.ts';
import { useOperation, usePages } from '../../shared/api/index.ts';
import { EmptyState, List, Page, PagedList, Picture, Row, SearchField, Section } from '../../shared/ui/index.ts';
import { counted } from '../../shared/words.ts';

/** Everyone who is in a community or linked a wallet. */
export function View() {
  const [search, setSearch] = useState('');
  const people = usePages('GET /latchkey/operator/people', search === '' ? {} : { search });
  const erasures = useOperation('GET /latchkey/operator/erasures', {});
  return (
    <Page title="People" lead="Everyone who is in a community or linked a wallet.">
      <Stack gap="xl">
        {(erasures.data?.length ?? 0) > 0 && (
          <Section
            title="Being erased"
            lead="What these accounts gave to this server is gone. The rest follows once their roles are removed."
          >
            <List items={erasures.data ?? []} keyOf={({ userId }) => userId}>
              {({ userId }) => <Text size="sm">{userId}</Text>}
            </List>
          </Section>
        )}
        <Stack gap="md">
          <SearchField label="Name, id or wallet address" value={search} onSearch={setSearch} />
          <PagedList
            pages={people}
            what="people"
            keyOf={({ userId }) => userId}
            empty={
              search === '' ? (
                <EmptyState title="No people yet">
                  People appear when they join a community or link a wallet.
                </EmptyState>
              ) : (
                <EmptyState title="No people found">
                  Search for the beginning of a name, a whole id, or a whole wallet address.
                </EmptyState>
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
                note={[
                  ...(name === undefined ? [] : [userId]),
                  ...(platform === undefined ? [] : [platformName(platform)]),
                  counted(wallets, 'wallet'),
                ].join(', ')}
              />
            )}
          </PagedList>
        </Stack>
      </Stack>
    </Page>
  );
}
