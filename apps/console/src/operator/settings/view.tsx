import { Alert, Code, Stack, Switch } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useOperation } from '../../shared/api/index.ts';
import { IconAlertTriangle } from '../../shared/icons.ts';
import { EmptyState, FilterBar, List, Page, Query, Row, SearchField, State } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';

/** The current settings. They come from the environment, so the page can show them and warn, but not change them. */
export function View() {
  const [search, setSearch] = useState('');
  const [isSetOnly, setIsSetOnly] = useState(false);
  const settings = useOperation('GET /latchkey/operator/settings', {});
  return (
    <Page title={t('settings.title')} lead={t('settings.lead')}>
      <Query read={settings} loading={t('settings.loading')}>
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
                <SearchField label={t('settings.search')} value={search} onSearch={setSearch} />
                <Switch
                  label={t('settings.setOnly')}
                  checked={isSetOnly}
                  onChange={(event) => setIsSetOnly(event.currentTarget.checked)}
                />
              </FilterBar>
              {found.length === 0 ? (
                <EmptyState title={t('settings.noneTitle')}>{t('settings.none')}</EmptyState>
              ) : (
                <List items={found} keyOf={({ name }) => name}>
                  {({ name, meaning, value, isMasked, isSet }) => (
                    <Row
                      title={name}
                      states={
                        isMasked ? (
                          <State tone={isSet ? 'good' : 'plain'}>
                            {t(isSet ? 'settings.secretSet' : 'settings.secretNotSet')}
                          </State>
                        ) : (
                          <State tone={isSet ? 'good' : 'plain'}>{value ?? t('settings.notSet')}</State>
                        )
                      }
                      note={withCode(meaning)}
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

/** Shows what stands in backticks as code, as the documentation does with the same text. */
function withCode(text: string): ReactNode[] {
  return text.split('`').map((part, place) => (place % 2 === 1 ? <Code key={part}>{part}</Code> : part));
}
