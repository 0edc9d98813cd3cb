import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Input } from '../../shared/api/index.ts';
import { t } from '../messages/index.ts';

/** The filter of the list. It is part of the URL, so that a link leads to the same list. */
export type Filter = Omit<
  Input<'GET /latchkey/communities/{communityId}/members'>,
  'communityId' | 'limit' | 'paginationToken'
>;

export function useFilter(): [Filter, (change: Partial<Filter>) => void] {
  const found: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const filter = readFilter(found);
  const change = (wanted: Partial<Filter>) =>
    void navigate({ to: '.', search: writeFilter({ ...filter, ...wanted }), replace: true, resetScroll: false });
  return [filter, change];
}

function readFilter({ search, roles, all, wallet, pass, order }: Readonly<Record<string, unknown>>): Filter {
  const roleIds = Array.isArray(roles) ? roles.map(String) : [];
  return {
    ...(search !== undefined && search !== '' && { search: String(search).slice(0, 128) }),
    ...(roleIds.length > 0 && { roleIds: roleIds.slice(0, 25) }),
    ...(roleIds.length > 1 && all === true && { roleMatch: 'all' as const }),
    ...(typeof wallet === 'boolean' && { hasWallet: wallet }),
    ...(typeof pass === 'boolean' && { hasGuestPass: pass }),
    ...(order === 'activity' && { order: 'activity' as const }),
  };
}

function writeFilter({ search, roleIds = [], roleMatch, hasWallet, hasGuestPass, order }: Partial<Filter>) {
  return {
    search: search === '' ? undefined : search,
    roles: roleIds.length > 0 ? roleIds : undefined,
    all: roleMatch === 'all' ? true : undefined,
    wallet: hasWallet,
    pass: hasGuestPass,
    order: order === 'activity' ? order : undefined,
  };
}

/** Describes the filter, for lists of exports. */
export function filterInWords(filter: Filter, roleName: (roleId: string) => string): string {
  const { search, roleIds = [], roleMatch, hasWallet, hasGuestPass } = filter;
  const parts = [
    ...(search === undefined ? [] : [t('exports.matching', { text: search })]),
    ...(roleIds.length === 0
      ? []
      : [t('exports.withRoles', { roles: t.list(roleIds.map(roleName), roleMatch === 'all' ? 'and' : 'or') })]),
    ...(hasWallet === undefined ? [] : [hasWallet ? t('exports.withWallet') : t('exports.withoutWallet')]),
    ...(hasGuestPass === undefined ? [] : [hasGuestPass ? t('exports.withPass') : t('exports.withoutPass')]),
  ];
  return parts.length === 0 ? t('exports.all') : parts.join(' · ');
}
