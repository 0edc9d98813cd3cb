// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC1155Receiver} from "./Interfaces.sol";
import {Text} from "./Text.sol";

/// An ERC-1155 with on-chain metadata; its deployer mints.
contract SampleBadges {
    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
    );
    event TransferBatch(
        address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
    );
    event ApprovalForAll(address indexed account, address indexed operator, bool approved);

    error NotTheMinter();
    error ZeroAddress();
    error LengthsDiffer();
    error NotAllowed(address account, address owner);
    error BalanceTooLow(address owner, uint256 id, uint256 balance, uint256 needed);
    error ReceiverRefused(address receiver);

    string public name;
    address public immutable minter;
    mapping(address => mapping(uint256 => uint256)) private _balances;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    modifier onlyMinter() {
        require(msg.sender == minter, NotTheMinter());
        _;
    }

    constructor(string memory name_) {
        name = name_;
        minter = msg.sender;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        // ERC-165, ERC-1155 and its metadata URI.
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c;
    }

    function mint(address to, uint256 id, uint256 amount) external onlyMinter {
        _mint(to, id, amount);
    }

    /// Mints the same amount of one id to each receiver, in one transaction.
    function mintMany(address[] calldata receivers, uint256 id, uint256 amount) external onlyMinter {
        for (uint256 i = 0; i < receivers.length; i++) _mint(receivers[i], id, amount);
    }

    function burn(uint256 id, uint256 amount) external {
        _take(msg.sender, id, amount);
        emit TransferSingle(msg.sender, msg.sender, address(0), id, amount);
    }

    function balanceOf(address account, uint256 id) public view returns (uint256) {
        return _balances[account][id];
    }

    function balanceOfBatch(address[] calldata accounts, uint256[] calldata ids)
        external
        view
        returns (uint256[] memory balances)
    {
        require(accounts.length == ids.length, LengthsDiffer());
        balances = new uint256[](accounts.length);
        for (uint256 i = 0; i < accounts.length; i++) balances[i] = _balances[accounts[i]][ids[i]];
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata data) external {
        _check(from, to);
        _take(from, id, value);
        _balances[to][id] += value;
        emit TransferSingle(msg.sender, from, to, id, value);
        if (to.code.length == 0) return;
        bytes4 answer = IERC1155Receiver(to).onERC1155Received(msg.sender, from, id, value, data);
        require(answer == IERC1155Receiver.onERC1155Received.selector, ReceiverRefused(to));
    }

    function safeBatchTransferFrom(
        address from,
        address to,
        uint256[] calldata ids,
        uint256[] calldata values,
        bytes calldata data
    ) external {
        require(ids.length == values.length, LengthsDiffer());
        _check(from, to);
        for (uint256 i = 0; i < ids.length; i++) {
            _take(from, ids[i], values[i]);
            _balances[to][ids[i]] += values[i];
        }
        emit TransferBatch(msg.sender, from, to, ids, values);
        if (to.code.length == 0) return;
        bytes4 answer = IERC1155Receiver(to).onERC1155BatchReceived(msg.sender, from, ids, values, data);
        require(answer == IERC1155Receiver.onERC1155BatchReceived.selector, ReceiverRefused(to));
    }

    function uri(uint256 id) external view returns (string memory) {
        string[3] memory tiers = ["Visitor", "Regular", "Elder"];
        return Text.jsonAddress(
            abi.encodePacked(
                '{"name":"', name, " #", Text.decimal(id),
                '","attributes":[{"trait_type":"Tier","value":"', tiers[id % 3], '"}]}'
            )
        );
    }

    function _check(address from, address to) private view {
        require(to != address(0), ZeroAddress());
        require(msg.sender == from || isApprovedForAll[from][msg.sender], NotAllowed(msg.sender, from));
    }

    function _mint(address to, uint256 id, uint256 amount) private {
        require(to != address(0), ZeroAddress());
        _balances[to][id] += amount;
        emit TransferSingle(msg.sender, address(0), to, id, amount);
    }

    function _take(address from, uint256 id, uint256 amount) private {
        uint256 balance = _balances[from][id];
        require(balance >= amount, BalanceTooLow(from, id, balance, amount));
        _balances[from][id] = balance - amount;
    }
}
