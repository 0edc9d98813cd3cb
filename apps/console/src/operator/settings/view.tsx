import { Alert, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { useOperation } from '../../shared/api/index.ts';
import { IconAlertTriangle } from '../../shared/icons.tsx';
import { EmptyState, FilterBar, List, Page, Query, Row, SearchField, State } from '../../shared/ui/index.ts';

/** The current settings. They come from the environment, so the page can show them and warn, but not change them. */
export function View() {
  const [search, setSearch] = useState('');
  const [isSetOnly, setIsSetOnly] = useState(false);
  const settings = useOperation('GET /latchkey/operator/settings', {});
  return (
    <Page
      title="Settings"
      lead="The current settings of this server. To change a setting, change the environment and restart. Secrets are never shown."
    >
      <Query read={settings} what="settings">
        {(all) => {
          const dangerous = all.filter(({ warning }) => warning !== undefined);
          const found = all.filter(
            ({ name, meaning, isSet }) =>
              (!isSetOnly || isSet) && `${name} ${meaning}`.toLowerCase().includes(search.toLowerCase()),
          );
          return (
            <Stack gap="md">
              {dangerous.map(({ name, warning }) => (
                <Alert key={name} color="yellow" title={name} icon={<IconAlertTriangle size={18} />}>
                  {warning}
                </Alert>
              ))}
              <FilterBar>
                <SearchField label="Search settings" value={search} onSearch={setSearch} />
                <Switch
                  label="Only what was set"
                  checked={isSetOnly}
                  onChange={(event) => setIsSetOnly(event.currentTarget.checked)}
                />
              </FilterBar>
              {found.length === 0 ? (
                <EmptyState title="No setting found">Search for a part of its name or meaning.</EmptyState>
              ) : (
                <List items={found} keyOf={({ name }) => name}>
                  {({ name, meaning, value, isMasked, isSet }) => (
                    <Row
                      title={name}
                      states={
                        isMasked ? (
                          <State tone={isSet ? 'good' : 'plain'}>{isSet ? 'Secret, set' : 'Secret, not set'}</State>
                        ) : (
                          <State tone={isSet ? 'good' : 'plain'}>{value ?? 'Not set'}</State>
                        )
                      }
                      note={meaning}
                    />
                  )}
                </List>
              )}
            </Stack>
          );
        }}
      </Query>
    </Page>
  );
}
