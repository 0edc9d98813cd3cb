// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// The wallets an installation created, each with a hash that identifies a user only with its salt.
contract WalletRegistry {
    struct Claim {
        bytes32 ownerHash;
        uint64 blockNumber;
    }

    event Claimed(address indexed wallet, bytes32 indexed ownerHash);
    event RegistrarChanged(address indexed from, address indexed to);

    error AlreadyClaimed(address wallet);
    error NotTheRegistrar(address account);
    error ZeroValue();

    address public registrar;
    mapping(address wallet => Claim) public claimOf;

    constructor(address registrar_) {
        _setRegistrar(registrar_);
    }

    modifier onlyRegistrar() {
        if (msg.sender != registrar) revert NotTheRegistrar(msg.sender);
        _;
    }

    /// Records a wallet, once and permanently.
    function claim(address wallet, bytes32 ownerHash) external onlyRegistrar {
        if (wallet == address(0) || ownerHash == bytes32(0)) revert ZeroValue();
        if (claimOf[wallet].ownerHash != bytes32(0)) revert AlreadyClaimed(wallet);
        claimOf[wallet] = Claim(ownerHash, uint64(block.number));
        emit Claimed(wallet, ownerHash);
    }

    /// Transfers the registry to another key.
    function changeRegistrar(address to) external onlyRegistrar {
        _setRegistrar(to);
    }

    function _setRegistrar(address to) private {
        if (to == address(0)) revert ZeroValue();
        emit RegistrarChanged(registrar, to);
        registrar = to;
    }
}
