// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// Sells memberships with a duration: each key is an NFT that is valid until it expires. The functions are those of Unlock's public locks
/// that buyers and readers of memberships use.
contract SampleLock {
    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    error NotTheOwner(address account);
    error ZeroAddress();
    error WrongLists();
    error WrongPrice(uint256 sent, uint256 price);
    error NoSuchKey(uint256 tokenId);
    error NotTheKeyOwner(address account);
    error OutOfRange();
    error PaymentRefused(address to);

    string public name;
    address public immutable owner;
    uint256 public immutable keyPrice;
    uint256 public immutable expirationDuration;
    uint256 public totalSupply;

    mapping(uint256 => address) private _ownerOf;
    mapping(uint256 => uint256) private _expiry;
    mapping(address => uint256[]) private _keysOf;

    constructor(string memory name_, address owner_, uint256 keyPrice_, uint256 expirationDuration_) {
        require(owner_ != address(0), ZeroAddress());
        name = name_;
        owner = owner_;
        keyPrice = keyPrice_;
        expirationDuration = expirationDuration_;
    }

    /// Sells one key to each recipient, in one payment.
    function purchase(
        uint256[] calldata values,
        address[] calldata recipients,
        address[] calldata referrers,
        address[] calldata keyManagers,
        bytes[] calldata data
    ) external payable returns (uint256[] memory tokenIds) {
        uint256 count = recipients.length;
        require(
            values.length == count && referrers.length == count && keyManagers.length == count
                && data.length == count,
            WrongLists()
        );
        require(msg.value == keyPrice * count, WrongPrice(msg.value, keyPrice * count));
        tokenIds = new uint256[](count);
        for (uint256 i = 0; i < count; i++) {
            tokenIds[i] = _mint(recipients[i], block.timestamp + expirationDuration);
        }
    }

    /// Grants a free key until a time. Only for the owner of the lock.
    function grantKey(address recipient, uint256 expiresAt) external returns (uint256) {
        require(msg.sender == owner, NotTheOwner(msg.sender));
        return _mint(recipient, expiresAt);
    }

    /// Ends a key at once. Only for the owner of the lock.
    function expireAndRefundFor(uint256 tokenId, uint256 amount) external {
        require(msg.sender == owner, NotTheOwner(msg.sender));
        address holder = ownerOf(tokenId);
        _expiry[tokenId] = block.timestamp;
        (bool taken,) = payable(holder).call{value: amount}("");
        require(taken, PaymentRefused(holder));
    }

    function transferFrom(address from, address to, uint256 tokenId) external {
        require(msg.sender == from && ownerOf(tokenId) == from, NotTheKeyOwner(msg.sender));
        require(to != address(0), ZeroAddress());
        uint256[] storage keys = _keysOf[from];
        for (uint256 i = 0; i < keys.length; i++) {
            if (keys[i] != tokenId) continue;
            keys[i] = keys[keys.length - 1];
            keys.pop();
            break;
        }
        _keysOf[to].push(tokenId);
        _ownerOf[tokenId] = to;
        emit Transfer(from, to, tokenId);
    }

    function ownerOf(uint256 tokenId) public view returns (address holder) {
        holder = _ownerOf[tokenId];
        require(holder != address(0), NoSuchKey(tokenId));
    }

    /// The number of an account's keys that are valid now.
    function balanceOf(address account) public view returns (uint256 good) {
        uint256[] storage keys = _keysOf[account];
        for (uint256 i = 0; i < keys.length; i++) {
            if (_expiry[keys[i]] > block.timestamp) good++;
        }
    }

    function getHasValidKey(address account) external view returns (bool) {
        return balanceOf(account) > 0;
    }

    /// The number of an account's keys, including expired ones.
    function totalKeys(address account) external view returns (uint256) {
        return _keysOf[account].length;
    }

    function tokenOfOwnerByIndex(address account, uint256 index) external view returns (uint256) {
        require(index < _keysOf[account].length, OutOfRange());
        return _keysOf[account][index];
    }

    function keyExpirationTimestampFor(uint256 tokenId) external view returns (uint256) {
        require(_ownerOf[tokenId] != address(0), NoSuchKey(tokenId));
        return _expiry[tokenId];
    }

    function _mint(address to, uint256 expiresAt) private returns (uint256 tokenId) {
        require(to != address(0), ZeroAddress());
        tokenId = ++totalSupply;
        _ownerOf[tokenId] = to;
        _expiry[tokenId] = expiresAt;
        _keysOf[to].push(tokenId);
        emit Transfer(address(0), to, tokenId);
    }
}
