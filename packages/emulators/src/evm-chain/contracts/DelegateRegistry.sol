// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// Delegations: the part of delegate.xyz's second registry that sets and reads them.
contract DelegateRegistry {
    enum DelegationType {
        NONE,
        ALL,
        CONTRACT,
        ERC721,
        ERC20,
        ERC1155
    }

    struct Delegation {
        DelegationType type_;
        address to;
        address from;
        bytes32 rights;
        address contract_;
        uint256 tokenId;
        uint256 amount;
    }

    event DelegateAll(address indexed from, address indexed to, bytes32 rights, bool enable);
    event DelegateContract(
        address indexed from, address indexed to, address indexed contract_, bytes32 rights, bool enable
    );
    event DelegateERC721(
        address indexed from,
        address indexed to,
        address indexed contract_,
        uint256 tokenId,
        bytes32 rights,
        bool enable
    );
    event DelegateERC20(
        address indexed from, address indexed to, address indexed contract_, bytes32 rights, uint256 amount
    );
    event DelegateERC1155(
        address indexed from,
        address indexed to,
        address indexed contract_,
        uint256 tokenId,
        bytes32 rights,
        uint256 amount
    );

    mapping(bytes32 => Delegation) private _delegations;
    mapping(address => bytes32[]) private _incoming;
    mapping(address => bytes32[]) private _outgoing;
    mapping(bytes32 => bool) private _listed;

    function delegateAll(address to, bytes32 rights, bool enable) external payable returns (bytes32 hash) {
        hash = _set(Delegation(DelegationType.ALL, to, msg.sender, rights, address(0), 0, 0), enable);
        emit DelegateAll(msg.sender, to, rights, enable);
    }

    function delegateContract(address to, address contract_, bytes32 rights, bool enable)
        external
        payable
        returns (bytes32 hash)
    {
        hash = _set(Delegation(DelegationType.CONTRACT, to, msg.sender, rights, contract_, 0, 0), enable);
        emit DelegateContract(msg.sender, to, contract_, rights, enable);
    }

    function delegateERC721(address to, address contract_, uint256 tokenId, bytes32 rights, bool enable)
        external
        payable
        returns (bytes32 hash)
    {
        hash = _set(Delegation(DelegationType.ERC721, to, msg.sender, rights, contract_, tokenId, 0), enable);
        emit DelegateERC721(msg.sender, to, contract_, tokenId, rights, enable);
    }

    function delegateERC20(address to, address contract_, bytes32 rights, uint256 amount)
        external
        payable
        returns (bytes32 hash)
    {
        hash = _set(Delegation(DelegationType.ERC20, to, msg.sender, rights, contract_, 0, amount), amount > 0);
        emit DelegateERC20(msg.sender, to, contract_, rights, amount);
    }

    function delegateERC1155(address to, address contract_, uint256 tokenId, bytes32 rights, uint256 amount)
        external
        payable
        returns (bytes32 hash)
    {
        hash = _set(
            Delegation(DelegationType.ERC1155, to, msg.sender, rights, contract_, tokenId, amount), amount > 0
        );
        emit DelegateERC1155(msg.sender, to, contract_, tokenId, rights, amount);
    }

    function checkDelegateForAll(address to, address from, bytes32 rights) public view returns (bool) {
        return _has(DelegationType.ALL, to, from, rights, address(0), 0);
    }

    function checkDelegateForContract(address to, address from, address contract_, bytes32 rights)
        public
        view
        returns (bool)
    {
        return checkDelegateForAll(to, from, rights) || _has(DelegationType.CONTRACT, to, from, rights, contract_, 0);
    }

    function checkDelegateForERC721(address to, address from, address contract_, uint256 tokenId, bytes32 rights)
        external
        view
        returns (bool)
    {
        return checkDelegateForContract(to, from, contract_, rights)
            || _has(DelegationType.ERC721, to, from, rights, contract_, tokenId);
    }

    function checkDelegateForERC20(address to, address from, address contract_, bytes32 rights)
        external
        view
        returns (uint256)
    {
        if (checkDelegateForContract(to, from, contract_, rights)) return type(uint256).max;
        return _amount(DelegationType.ERC20, to, from, rights, contract_, 0);
    }

    function checkDelegateForERC1155(address to, address from, address contract_, uint256 tokenId, bytes32 rights)
        external
        view
        returns (uint256)
    {
        if (checkDelegateForContract(to, from, contract_, rights)) return type(uint256).max;
        return _amount(DelegationType.ERC1155, to, from, rights, contract_, tokenId);
    }

    function getIncomingDelegations(address to) external view returns (Delegation[] memory) {
        return _enabled(_incoming[to]);
    }

    function getOutgoingDelegations(address from) external view returns (Delegation[] memory) {
        return _enabled(_outgoing[from]);
    }

    function supportsInterface(bytes4 interfaceId) external pure returns (bool) {
        return interfaceId == 0x01ffc9a7;
    }

    function _set(Delegation memory delegation, bool enable) private returns (bytes32 hash) {
        hash = _hash(
            delegation.type_,
            delegation.to,
            delegation.from,
            delegation.rights,
            delegation.contract_,
            delegation.tokenId
        );
        if (!enable) {
            delete _delegations[hash];
            return hash;
        }
        _delegations[hash] = delegation;
        if (_listed[hash]) return hash;
        _listed[hash] = true;
        _incoming[delegation.to].push(hash);
        _outgoing[delegation.from].push(hash);
    }

    // A delegation without named rights covers every right.
    function _has(DelegationType kind, address to, address from, bytes32 rights, address contract_, uint256 tokenId)
        private
        view
        returns (bool)
    {
        if (_delegations[_hash(kind, to, from, "", contract_, tokenId)].type_ == kind) return true;
        return rights != "" && _delegations[_hash(kind, to, from, rights, contract_, tokenId)].type_ == kind;
    }

    function _amount(DelegationType kind, address to, address from, bytes32 rights, address contract_, uint256 tokenId)
        private
        view
        returns (uint256)
    {
        uint256 plain = _delegations[_hash(kind, to, from, "", contract_, tokenId)].amount;
        uint256 named = _delegations[_hash(kind, to, from, rights, contract_, tokenId)].amount;
        return plain > named ? plain : named;
    }

    function _enabled(bytes32[] storage hashes) private view returns (Delegation[] memory found) {
        uint256 count;
        for (uint256 i = 0; i < hashes.length; i++) {
            if (_delegations[hashes[i]].type_ != DelegationType.NONE) count++;
        }
        found = new Delegation[](count);
        for (uint256 i = hashes.length; i > 0; i--) {
            Delegation memory delegation = _delegations[hashes[i - 1]];
            if (delegation.type_ != DelegationType.NONE) found[--count] = delegation;
        }
    }

    function _hash(DelegationType kind, address to, address from, bytes32 rights, address contract_, uint256 tokenId)
        private
        pure
        returns (bytes32)
    {
        return keccak256(abi.encode(kind, to, from, rights, contract_, tokenId));
    }
}
