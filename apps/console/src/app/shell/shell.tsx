import { ApiError } from '@latchkey/client';
import { ActionIcon, Button, Group, Menu, Text, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, useContext, useEffect, useState } from 'react';
import mark from '../../mark.svg';
import { platformName } from '../../parts/names.ts';
import { type Answer, call, requestIdOf, useLive, useOperation } from '../../shared/api/index.ts';
import { ConnectionBanner } from '../../shared/connection/banner.tsx';
import { IconBell, IconChevronDown, IconLogout, IconMenu2, IconUser, IconX } from '../../shared/icons.ts';
import { t } from '../../shared/messages/index.ts';
import { openAnew } from '../../shared/open-anew.ts';
import { type Screen, useScreenParams } from '../../shared/screen.ts';
import { useSession } from '../../shared/session.ts';
import { ConfirmDialog, EmptyState, Loading, Page, Picture, Time } from '../../shared/ui/index.ts';
import { PageContext } from '../page-context.ts';
import { screens } from '../screens.ts';
import styles from './shell.module.css';

/** The frame of every screen: navigation, the signed-in account, pending approvals, and the connection state. */
export function Shell() {
  const { server } = useContext(PageContext);
  const { isOperator, accountId } = useSession();
  const { communityId } = useScreenParams('communityId');
  const inCommunity = useCommunityAccess(communityId);
  const [isOpen, setIsOpen] = useState(false);
  const { pathname } = useLocation();
  const access: Access = isOperator || !/^\/operator\b/.test(pathname) ? inCommunity : { kind: 'refused' };
  const isWide = useMediaQuery('(width >= 60rem)', true, { getInitialValueInEffect: false });
  // biome-ignore lint/correctness/useExhaustiveDependencies: going somewhere closes the menu that led there.
  useEffect(() => setIsOpen(false), [pathname]);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#screen">
        {t('shell.skip')}
      </a>
      <header className={styles.top}>
        {!isWide && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t(isOpen ? 'shell.closeMenu' : 'shell.openMenu')}
            aria-expanded={isOpen}
            aria-controls="navigation"
            onClick={() => setIsOpen(!isOpen)}
          >
            {isOpen ? <IconX size={20} /> : <IconMenu2 size={20} />}
          </ActionIcon>
        )}
        <Link to="/" className={styles.mark}>
          <img src={mark} alt="" width="28" height="28" />
          <span>{server}</span>
        </Link>
        <div className={styles.end}>
          <Bell />
          <AccountMenu />
        </div>
      </header>
      <ConnectionBanner />
      {(isWide || isOpen) && (
        <nav id="navigation" className={styles.side} aria-label={t('shell.navigation')}>
          {communityId !== '' && access.kind !== 'refused' && (
            <PlaceList
              title={<CommunityTitle communityId={communityId} />}
              places={placesBelow('/communities/$communityId')}
            />
          )}
          {accountId !== undefined && (
            <PlaceList title={communityId === '' ? undefined : t('shell.you')} places={ownPlaces} />
          )}
          {isOperator && <PlaceList title={t('shell.operator')} places={placesBelow('/operator')} />}
        </nav>
      )}
      <main id="screen" className={styles.screen} tabIndex={-1}>
        {access.kind === 'checking' && <Loading text={t('shell.loadingCommunity')} />}
        {access.kind === 'refused' && <Refused error={access.error} />}
        {access.kind === 'allowed' &&
          (accountId === undefined && pathname === '/' ? <Navigate to="/operator" replace /> : <Outlet />)}
      </main>
    </div>
  );
}

type Access = { kind: 'allowed' } | { kind: 'checking' } | { kind: 'refused'; error?: ApiError };

/** Whether the signed-in user manages the community of the URL: its screens are for community admins only. */
function useCommunityAccess(communityId: string): Access {
  const isInside = communityId !== '';
  const { isPending, error } = useOperation(
    'GET /latchkey/communities/{communityId}/profile',
    { communityId },
    { enabled: isInside },
  );
  if (!isInside) return { kind: 'allowed' };
  if (error instanceof ApiError && [403, 404].includes(error.status)) return { kind: 'refused', error };
  // Other failures are shown by the screen, which may have cached data.
  return { kind: isPending && error === null ? 'checking' : 'allowed' };
}

/** Replaces a screen that the user may not see: of the admins of a community, with the server's refusal, or of the operator. */
function Refused({ error }: { error?: ApiError | undefined }) {
  const requestId = error && requestIdOf(error);
  return (
    <Page title={t('noAccess.title')}>
      <div role="alert">
        <EmptyState
          title={error?.message ?? t('noAccess.operator')}
          action={
            <Group gap="xs" justify="center">
              <Button renderRoot={(props) => <Link to="/" {...props} />}>{t('common.goHome')}</Button>
              <Button variant="default" renderRoot={(props) => <Link to="/me/roles" {...props} />}>
                {t('noAccess.myRoles')}
              </Button>
            </Group>
          }
        >
          {t(error === undefined ? 'noAccess.operatorWhy' : 'noAccess.why')}
        </EmptyState>
        {error !== undefined && (
          <Text size="xs" c="dimmed" ta="center">
            {[error.code, requestId !== undefined && t('failure.request', { id: requestId })]
              .filter(Boolean)
              .join(' · ')}
          </Text>
        )}
      </div>
    </Page>
  );
}

/** The community that the screens below are about. */
function CommunityTitle({ communityId }: { communityId: string }) {
  const { data } = useOperation('GET /latchkey/communities/{communityId}/profile', { communityId });
  if (data === undefined) return <p className={styles.groupTitle}>{t('shell.thisCommunity')}</p>;
  return (
    <p className={styles.community} title={`${data.name} · ${platformName(data.platform)}`}>
      <Picture source={data.picture} name={data.name} size={24} />
      <span>{data.name}</span>
    </p>
  );
}

const inNavigation = screens.filter(({ icon }) => icon !== undefined);

/** The screens in the navigation of community admins, or of the operator. */
function placesBelow(place: '/communities/$communityId' | '/operator'): readonly Screen[] {
  return inNavigation.filter(({ path }) => path === place || path.startsWith(`${place}/`));
}

/** For all accounts. */
const ownPlaces = inNavigation.filter(({ path }) => !/^\/(?:communities|operator)\b/.test(path));

/** These match exactly: the pages below them have their own entries. */
const exact = new Set(['/', '/me', '/operator', '/communities/$communityId']);

function PlaceList({ title, places }: { title: ReactNode; places: readonly Screen[] }) {
  const { communityId } = useScreenParams('communityId');
  return (
    <div className={styles.group}>
      {typeof title === 'string' ? <p className={styles.groupTitle}>{title}</p> : title}
      <ul>
        {places.map(({ path, title: titleOf, icon: PlaceIcon }) => (
          <li key={path}>
            <Link
              to={path}
              params={{ communityId }}
              activeOptions={{ exact: exact.has(path), includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {PlaceIcon && <PlaceIcon size={18} stroke={1.75} aria-hidden="true" />}
              {titleOf()}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The signed-in account, and the sign-out button. */
function AccountMenu() {
  const { accountId, name: known, isOperator } = useSession();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>();
  const name = known ?? accountId ?? t('shell.operator');
  const logOut = async () => {
    try {
      await call('DELETE /latchkey/session', {});
      queries.clear();
      openAnew();
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <UnstyledButton className={styles.account}>
            <Picture name={name} size={24} />
            <span className={styles.accountName}>{name}</span>
            <IconChevronDown size={14} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {isOperator && <Menu.Label>{t('shell.asOperator')}</Menu.Label>}
          {accountId !== undefined && (
            <Menu.Item component={Link} to="/me" leftSection={<IconUser size={16} />}>
              {t('screen.myAccount')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconLogout size={16} />} onClick={logOut}>
            {t('shell.signOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        isOpen={error !== undefined}
        title={t('shell.stillSignedIn')}
        yes={t('common.tryAgain')}
        action={{ isRunning: false, error }}
        onYes={() => {
          void logOut();
          return undefined;
        }}
        onClose={() => setError(undefined)}
      />
    </>
  );
}

type WaitingItem = Answer<'GET /latchkey/account/waiting'>['items'][number];

const shown = 8;
const checkMs = 60_000;

/** Pending approvals of the signed-in user: the bell shows how many, and links to each. */
function Bell() {
  const { isOperator } = useSession();
  useLive(isOperator ? 'operator' : 'account');
  const { data } = useOperation('GET /latchkey/account/waiting', {}, { everyMs: checkMs });
  const items = data?.items ?? [];
  const params = { count: items.length };
  const hasMore = data?.hasMore === true;
  return (
    <Menu position="bottom-end" width={340}>
      <Menu.Target>
        <UnstyledButton className={styles.bell} aria-label={t(hasMore ? 'shell.waitingMore' : 'shell.waiting', params)}>
          <IconBell size={20} stroke={1.75} />
          {items.length > 0 && (
            <span className={styles.count} aria-hidden="true">
              {t(hasMore ? 'shell.waitingCountMore' : 'shell.waitingCount', params)}
            </span>
          )}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {items.length === 0 && <Menu.Label>{t('shell.nothingWaits')}</Menu.Label>}
        {items.slice(0, shown).map((item) => (
          <Menu.Item key={`${item.kind} ${item.id}`} renderRoot={(props) => <Link {...props} {...placeOf(item)} />}>
            <span className={styles.waiting}>
              <strong>{item.communityName ?? item.name}</strong>
              <span>{item.text}</span>
              <small>
                <Time at={item.sinceTime} isRelative />
              </small>
            </span>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function placeOf({ kind, id, communityId = '' }: WaitingItem): {
  to: string;
  params?: { communityId: string; changeSetId?: string };
} {
  switch (kind) {
    case 'held-change-set':
      return { to: '/communities/$communityId/role-changes/$changeSetId', params: { communityId, changeSetId: id } };
    case 'blocked-role':
      return { to: '/communities/$communityId/setup', params: { communityId } };
    default:
      return { to: '/operator/approvals' };
  }
}
