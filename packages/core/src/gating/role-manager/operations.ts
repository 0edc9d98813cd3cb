import { app, OpenObject, op, resource } from '@latchkey/kernel';
import { applyRoles } from './apply.ts';
import { checkCommunityRoles, checkUserRoles, checkUserRolesByQuery } from './check.ts';
import {
  CheckCommunityRolesResponse,
  CheckUserRolesResponse,
  CommunityRoleCheckRequest,
  RoleCheckRequest,
  roleParams,
  UpdateUserRolesResponse,
} from './role-check.ts';
import { scheduleRoleCheck } from './schedule.ts';

const manager = app('role-manager', '$internal');

export const roleManager = resource(
  'role-manager',
  'The roles that members have and those they qualify for: checked, scheduled and applied.',
  [
    op(
      'POST /role-manager/check-community-roles',
      {
        id: 'checkCommunityRoles',
        sdk: 'RoleManagerController.checkCommunityRoles',
        summary: 'Compare the roles of a whole community',
        description:
          'Evaluates the rules for every member and compares the result with the roles they have. Changes nothing. Members are checked page by page in the order of their ids, 1,000 at a time unless `limit` says less; on each page those whose roles differ come first. While there are more, the response has a `paginationToken`: send it in the next request. For community admins, and for client applications that one of them created.',
        facts: {
          needsNoKey: 'Only reads.',
          senderDecides: 'communityId userId limit paginationToken',
          idsOfNobody: { userId: 'Somebody in the community that admits the caller.' },
        },
        access: manager,
        body: CommunityRoleCheckRequest,
        returns: CheckCommunityRolesResponse,
        errors: ['ENTITY_NOT_FOUND', 'INVALID_PAGINATION_TOKEN', 'STATE_CONFLICT', 'UNAVAILABLE'],
      },
      checkCommunityRoles,
    ),
    op(
      'POST /role-manager/check-user-roles',
      {
        id: 'checkUserRoles',
        sdk: 'RoleManagerController.checkUserRoles',
        summary: 'Compare the roles of one member',
        description:
          'Decides the roles of one member by the rules and compares them with the roles it has, with the reason for each; nothing is changed. Members may ask about themselves, which is what an absent userId means.',
        facts: {
          needsNoKey: 'Only reads.',
          senderDecides: 'communityId userId',
          idsOfNobody: { userId: 'Somebody in the community that admits the caller.' },
        },
        access: manager,
        body: RoleCheckRequest,
        returns: CheckUserRolesResponse,
        errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
      },
      checkUserRoles,
    ),
    op(
      'POST /role-manager/schedule',
      {
        id: 'scheduleRoleCheck',
        sdk: 'RoleManagerController.schedule',
        summary: 'Check roles in the background',
        description:
          'Has one member, or every member, checked and their roles written, at once or after a delay in seconds of up to a day. Asked again before that, it stays one check at the earlier time. It also ends what an undo has put aside. A member that neither this server nor the platform knows is refused.',
        facts: {
          needsNoKey: 'Asked again, it stays one check.',
          senderDecides: 'communityId userId delay',
          idsOfNobody: { userId: 'Somebody in the community that admits the caller.' },
        },
        access: manager,
        body: RoleCheckRequest,
        returns: OpenObject,
        errors: ['ENTITY_NOT_FOUND', 'PLAN_LIMIT_REACHED'],
      },
      scheduleRoleCheck,
    ),
    op(
      'POST /role-manager/roles',
      {
        id: 'applyRoles',
        sdk: 'RoleManagerController.applyRoles',
        summary: 'Apply a member’s roles',
        description:
          'Checks one member and writes what must change before it returns the roles the member has then. Without a communityId this happens in every community that the caller may ask about, if they are at most 100; without a userId it is about the caller.',
        facts: {
          needsNoKey: 'Writes on the chat platform; a repetition finds nothing left to change.',
          idsOfNobody: { userId: 'Somebody in a community that the caller manages, or the caller.' },
        },
        access: manager,
        params: roleParams,
        returns: UpdateUserRolesResponse,
        errors: ['ENTITY_NOT_FOUND', 'PLAN_LIMIT_REACHED', 'STATE_CONFLICT', 'VALIDATION_FAILED', 'UNAVAILABLE'],
      },
      applyRoles,
    ),
    op(
      'GET /role-manager/roles',
      {
        id: 'checkUserRolesByQuery',
        sdk: 'RoleManagerController.checkRoles',
        summary: 'Compare one member’s roles by query',
        description:
          'The same as a check of one member, named in the query. Without a communityId it answers for every community that the caller may ask about, if they are at most 100.',
        facts: { idsOfNobody: { userId: 'Somebody in a community that the caller manages, or the caller.' } },
        access: manager,
        params: roleParams,
        returns: CheckUserRolesResponse,
        errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'VALIDATION_FAILED', 'UNAVAILABLE'],
      },
      checkUserRolesByQuery,
    ),
  ],
);
