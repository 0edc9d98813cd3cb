// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {Text} from "./Text.sol";

/// A small ERC-721 with metadata on a server: tokens at `baseURI` and their id, the contract at `contractURI`.
contract SampleCollection {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
    event ContractURIUpdated();

    error NotTheMinter();
    error NoSuchToken(uint256 tokenId);
    error AlreadyMinted(uint256 tokenId);
    error NotAllowed(address account, uint256 tokenId);
    error ZeroAddress();

    string public name;
    string public symbol;
    string public baseURI;
    string public contractURI;
    address public immutable minter;
    uint256 public totalSupply;
    mapping(address => uint256) private _balances;
    mapping(uint256 => address) private _owners;
    mapping(uint256 => address) private _approved;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    modifier onlyMinter() {
        require(msg.sender == minter, NotTheMinter());
        _;
    }

    constructor(string memory name_, string memory symbol_, address minter_) {
        name = name_;
        symbol = symbol_;
        minter = minter_;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        // ERC-165, ERC-721 and its metadata.
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    /// The metadata URI contains the address of the contract, so it is set after deployment.
    function setURIs(string calldata baseURI_, string calldata contractURI_) external onlyMinter {
        baseURI = baseURI_;
        contractURI = contractURI_;
        emit ContractURIUpdated();
    }

    function mint(address to, uint256 tokenId) external onlyMinter {
        require(to != address(0), ZeroAddress());
        require(_owners[tokenId] == address(0), AlreadyMinted(tokenId));
        _owners[tokenId] = to;
        _balances[to]++;
        totalSupply++;
        emit Transfer(address(0), to, tokenId);
    }

    function tokenURI(uint256 tokenId) external view returns (string memory) {
        ownerOf(tokenId);
        return string.concat(baseURI, Text.decimal(tokenId));
    }

    function balanceOf(address owner) external view returns (uint256) {
        require(owner != address(0), ZeroAddress());
        return _balances[owner];
    }

    function ownerOf(uint256 tokenId) public view returns (address owner) {
        owner = _owners[tokenId];
        require(owner != address(0), NoSuchToken(tokenId));
    }

    function getApproved(uint256 tokenId) external view returns (address) {
        ownerOf(tokenId);
        return _approved[tokenId];
    }

    function approve(address to, uint256 tokenId) external {
        address owner = ownerOf(tokenId);
        require(msg.sender == owner || isApprovedForAll[owner][msg.sender], NotAllowed(msg.sender, tokenId));
        _approved[tokenId] = to;
        emit Approval(owner, to, tokenId);
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function transferFrom(address from, address to, uint256 tokenId) external {
        address owner = ownerOf(tokenId);
        bool mayMove = msg.sender == owner || isApprovedForAll[owner][msg.sender] || _approved[tokenId] == msg.sender;
        require(owner == from && mayMove, NotAllowed(msg.sender, tokenId));
        require(to != address(0), ZeroAddress());
        delete _approved[tokenId];
        _balances[from]--;
        _balances[to]++;
        _owners[tokenId] = to;
        emit Transfer(from, to, tokenId);
    }
}
