import { parseAbi } from 'viem';

/** The part of delegate.xyz's second registry that the development chain has. */
export const delegateRegistryAbi = parseAbi([
  'struct Delegation { uint8 type_; address to; address from; bytes32 rights; address contract_; uint256 tokenId; uint256 amount; }',
  'event DelegateAll(address indexed from, address indexed to, bytes32 rights, bool enable)',
  'event DelegateContract(address indexed from, address indexed to, address indexed contract_, bytes32 rights, bool enable)',
  'event DelegateERC1155(address indexed from, address indexed to, address indexed contract_, uint256 tokenId, bytes32 rights, uint256 amount)',
  'event DelegateERC20(address indexed from, address indexed to, address indexed contract_, bytes32 rights, uint256 amount)',
  'event DelegateERC721(address indexed from, address indexed to, address indexed contract_, uint256 tokenId, bytes32 rights, bool enable)',
  'function checkDelegateForAll(address to, address from, bytes32 rights) view returns (bool)',
  'function checkDelegateForContract(address to, address from, address contract_, bytes32 rights) view returns (bool)',
  'function checkDelegateForERC1155(address to, address from, address contract_, uint256 tokenId, bytes32 rights) view returns (uint256)',
  'function checkDelegateForERC20(address to, address from, address contract_, bytes32 rights) view returns (uint256)',
  'function checkDelegateForERC721(address to, address from, address contract_, uint256 tokenId, bytes32 rights) view returns (bool)',
  'function delegateAll(address to, bytes32 rights, bool enable) payable returns (bytes32 hash)',
  'function delegateContract(address to, address contract_, bytes32 rights, bool enable) payable returns (bytes32 hash)',
  'function delegateERC1155(address to, address contract_, uint256 tokenId, bytes32 rights, uint256 amount) payable returns (bytes32 hash)',
  'function delegateERC20(address to, address contract_, bytes32 rights, uint256 amount) payable returns (bytes32 hash)',
  'function delegateERC721(address to, address contract_, uint256 tokenId, bytes32 rights, bool enable) payable returns (bytes32 hash)',
  'function getIncomingDelegations(address to) view returns (Delegation[])',
  'function getOutgoingDelegations(address from) view returns (Delegation[])',
  'function supportsInterface(bytes4 interfaceId) pure returns (bool)',
]);

/** The interface of Multicall3, as other chains have it. */
export const multicall3Abi = parseAbi([
  'struct Call { address target; bytes callData; }',
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Call3Value { address target; bool allowFailure; uint256 value; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate(Call[] calls) payable returns (uint256 blockNumber, bytes[] returnData)',
  'function aggregate3(Call3[] calls) payable returns (Result[] returnData)',
  'function aggregate3Value(Call3Value[] calls) payable returns (Result[] returnData)',
  'function blockAndAggregate(Call[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, Result[] returnData)',
  'function getBasefee() view returns (uint256 basefee)',
  'function getBlockHash(uint256 blockNumber) view returns (bytes32 blockHash)',
  'function getBlockNumber() view returns (uint256 blockNumber)',
  'function getChainId() view returns (uint256 chainid)',
  'function getCurrentBlockCoinbase() view returns (address coinbase)',
  'function getCurrentBlockDifficulty() view returns (uint256 difficulty)',
  'function getCurrentBlockGasLimit() view returns (uint256 gaslimit)',
  'function getCurrentBlockTimestamp() view returns (uint256 timestamp)',
  'function getEthBalance(address addr) view returns (uint256 balance)',
  'function getLastBlockHash() view returns (bytes32 blockHash)',
  'function tryAggregate(bool requireSuccess, Call[] calls) payable returns (Result[] returnData)',
  'function tryBlockAndAggregate(bool requireSuccess, Call[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, Result[] returnData)',
]);

/** The hosted wallet registry. */
export const walletRegistryAbi = parseAbi([
  'constructor(address registrar_)',
  'event Claimed(address indexed wallet, bytes32 indexed ownerHash)',
  'event RegistrarChanged(address indexed from, address indexed to)',
  'error AlreadyClaimed(address wallet)',
  'error NotTheRegistrar(address account)',
  'error ZeroValue()',
  'function changeRegistrar(address to)',
  'function claim(address wallet, bytes32 ownerHash)',
  'function claimOf(address wallet) view returns (bytes32 ownerHash, uint64 blockNumber)',
  'function registrar() view returns (address)',
]);

/** The part of the first EPS register that the development chain has. */
export const proxyRegisterAbi = parseAbi([
  'event NominationAccepted(address indexed nominator, address indexed proxy, address indexed delivery, uint256 timestamp, uint256 provider)',
  'event NominationMade(address indexed nominator, address indexed proxy, uint256 timestamp, uint256 provider)',
  'event RecordDeleted(string initiator, address indexed nominator, address indexed proxy, address indexed delivery, uint256 timestamp, uint256 provider)',
  'error ActiveAlready(address account)',
  'error NoRecord(address account)',
  'error NominatorMayNotAct(address nominator)',
  'error NotNominated(address nominator, address proxy)',
  'function acceptNomination(address nominator, address delivery, uint256 provider)',
  'function addressIsActive(address account) view returns (bool)',
  'function deleteRecordByNominator(uint256 provider)',
  'function deleteRecordByProxy(uint256 provider)',
  'function getAddresses(address received) view returns (address nominator, address delivery, bool isProxied)',
  'function getNomination(address nominator) view returns (address proxy)',
  'function getProxyRecord(address proxy_) view returns (address nominator, address proxy, address delivery)',
  'function makeNomination(address proxy, uint256 provider) payable',
  'function nominationExists(address nominator) view returns (bool)',
  'function nominatorRecordExists(address nominator) view returns (bool)',
  'function proxyRecordExists(address proxy) view returns (bool)',
]);
