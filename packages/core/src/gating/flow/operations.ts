import { anyone, op, resource } from '@latchkey/kernel';
import { FlowContracts, getFlowContracts } from './contracts.ts';

export const flow = resource('flow', 'Well-known contracts on Flow.', [
  op(
    'GET /flow/contracts',
    {
      id: 'getFlowContracts',
      sdk: 'FlowContractsController.getContracts',
      summary: 'List well-known contracts on Flow',
      description:
        'Returns collections and tokens on Flow that are easily named in a rule. Rules can name any other contract too.',
      access: anyone,
      returns: FlowContracts,
    },
    getFlowContracts,
  ),
]);
