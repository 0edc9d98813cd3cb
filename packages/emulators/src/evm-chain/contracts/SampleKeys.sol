// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

import {IERC721Receiver} from "./Interfaces.sol";
import {Text} from "./Text.sol";

/// An enumerable ERC-721 with on-chain metadata; its deployer mints ids 1, 2, 3 …
contract SampleKeys {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);

    error NotTheMinter();
    error ZeroAddress();
    error NoSuchToken(uint256 tokenId);
    error NotTheOwner(address account, uint256 tokenId);
    error NotAllowed(address account, uint256 tokenId);
    error ReceiverRefused(address receiver);
    error NoSuchIndex(uint256 index);

    /// One slot: the owner of the token and its index in the two lists.
    struct Place {
        address owner;
        uint48 inOwned;
        uint48 inAll;
    }

    string public name;
    string public symbol;
    address public immutable minter;
    uint256 private _lastTokenId;
    uint256[] private _all;
    mapping(address => uint256[]) private _owned;
    mapping(uint256 => Place) private _places;
    mapping(uint256 => address) private _approved;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    modifier onlyMinter() {
        require(msg.sender == minter, NotTheMinter());
        _;
    }

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
        minter = msg.sender;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        // ERC-165, ERC-721, its metadata and its enumeration.
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f || id == 0x780e9d63;
    }

    function mint(address to) external onlyMinter returns (uint256) {
        return _mint(to);
    }

    /// Mints one token to each receiver, in one transaction.
    function mintMany(address[] calldata receivers) external onlyMinter {
        for (uint256 i = 0; i < receivers.length; i++) _mint(receivers[i]);
    }

    function burn(uint256 tokenId) external {
        address owner = ownerOf(tokenId);
        require(_mayMove(msg.sender, owner, tokenId), NotAllowed(msg.sender, tokenId));
        _leave(owner, tokenId);
        uint256 lastId = _all[_all.length - 1];
        uint48 place = _places[tokenId].inAll;
        _all[place] = lastId;
        _places[lastId].inAll = place;
        _all.pop();
        delete _places[tokenId];
        emit Transfer(owner, address(0), tokenId);
    }

    function totalSupply() external view returns (uint256) {
        return _all.length;
    }

    function balanceOf(address owner) external view returns (uint256) {
        require(owner != address(0), ZeroAddress());
        return _owned[owner].length;
    }

    function ownerOf(uint256 tokenId) public view returns (address owner) {
        owner = _places[tokenId].owner;
        require(owner != address(0), NoSuchToken(tokenId));
    }

    function tokenByIndex(uint256 index) external view returns (uint256) {
        require(index < _all.length, NoSuchIndex(index));
        return _all[index];
    }

    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256) {
        require(index < _owned[owner].length, NoSuchIndex(index));
        return _owned[owner][index];
    }

    function approve(address to, uint256 tokenId) external {
        address owner = ownerOf(tokenId);
        require(msg.sender == owner || isApprovedForAll[owner][msg.sender], NotAllowed(msg.sender, tokenId));
        _approved[tokenId] = to;
        emit Approval(owner, to, tokenId);
    }

    function getApproved(uint256 tokenId) external view returns (address) {
        ownerOf(tokenId);
        return _approved[tokenId];
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function transferFrom(address from, address to, uint256 tokenId) public {
        address owner = ownerOf(tokenId);
        require(owner == from, NotTheOwner(from, tokenId));
        require(to != address(0), ZeroAddress());
        require(_mayMove(msg.sender, owner, tokenId), NotAllowed(msg.sender, tokenId));
        _leave(from, tokenId);
        _enter(to, tokenId);
        emit Transfer(from, to, tokenId);
    }

    function safeTransferFrom(address from, address to, uint256 tokenId) external {
        safeTransferFrom(from, to, tokenId, "");
    }

    function safeTransferFrom(address from, address to, uint256 tokenId, bytes memory data) public {
        transferFrom(from, to, tokenId);
        if (to.code.length == 0) return;
        bytes4 answer = IERC721Receiver(to).onERC721Received(msg.sender, from, tokenId, data);
        require(answer == IERC721Receiver.onERC721Received.selector, ReceiverRefused(to));
    }

    function tokenURI(uint256 tokenId) external view returns (string memory) {
        ownerOf(tokenId);
        string memory title = string.concat('{"name":"', name, " #", Text.decimal(tokenId), '"');
        string memory text = ',"description":"A key that opens nothing but doors to try.","attributes":[';
        return Text.jsonAddress(bytes(string.concat(title, text, _attributes(tokenId), "]}")));
    }

    function _attributes(uint256 tokenId) private pure returns (string memory) {
        string[4] memory metals = ["Iron", "Bronze", "Silver", "Gold"];
        string memory metal = string.concat('{"trait_type":"Metal","value":"', metals[tokenId % 4], '"}');
        string memory teeth = string.concat(
            ',{"trait_type":"Teeth","display_type":"number","value":', Text.decimal(3 + tokenId % 5), "}"
        );
        string memory engraved = tokenId % 7 == 0 ? "true" : "false";
        return string.concat(metal, teeth, ',{"trait_type":"Engraved","value":', engraved, "}");
    }

    function _mint(address to) private returns (uint256 tokenId) {
        require(to != address(0), ZeroAddress());
        tokenId = ++_lastTokenId;
        _places[tokenId].inAll = uint48(_all.length);
        _all.push(tokenId);
        _enter(to, tokenId);
        emit Transfer(address(0), to, tokenId);
    }

    function _enter(address owner, uint256 tokenId) private {
        Place storage place = _places[tokenId];
        place.owner = owner;
        place.inOwned = uint48(_owned[owner].length);
        _owned[owner].push(tokenId);
    }

    // The last token of the list moves to the place of the one that leaves.
    function _leave(address owner, uint256 tokenId) private {
        uint256[] storage owned = _owned[owner];
        uint256 lastId = owned[owned.length - 1];
        uint48 place = _places[tokenId].inOwned;
        owned[place] = lastId;
        _places[lastId].inOwned = place;
        owned.pop();
        delete _approved[tokenId];
    }

    function _mayMove(address account, address owner, uint256 tokenId) private view returns (bool) {
        return account == owner || isApprovedForAll[owner][account] || _approved[tokenId] == account;
    }
}
