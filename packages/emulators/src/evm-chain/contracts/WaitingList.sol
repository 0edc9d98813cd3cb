// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// Sells places on a waiting list to holders of a quote that the signer signed by EIP-712.
contract WaitingList {
    event Registered(bytes32 indexed userIdHash, address indexed account, uint256 price);
    event SignerChanged(address indexed from, address indexed to);

    error NotTheOwner(address account);
    error ZeroAddress();
    error QuoteExpired(uint256 expiresAt, uint256 time);
    error WrongPrice(uint256 sent, uint256 price);
    error WrongSignature();
    error AlreadyRegistered(bytes32 userIdHash);
    error PaymentRefused(address to);

    bytes32 private constant DOMAIN_TYPE =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant QUOTE_TYPE = keccak256("Quote(bytes32 userIdHash,uint256 price,uint256 expiresAt)");
    /// Half the order of secp256k1: of the two valid signatures, only the low-s one counts (EIP-2).
    uint256 private constant HALF_ORDER = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    address public immutable owner;
    address public signer;
    /// Who paid for the place of a user.
    mapping(bytes32 => address) public registrantOf;

    modifier onlyOwner() {
        require(msg.sender == owner, NotTheOwner(msg.sender));
        _;
    }

    constructor(address owner_, address signer_) {
        require(owner_ != address(0) && signer_ != address(0), ZeroAddress());
        owner = owner_;
        signer = signer_;
    }

    /// Anyone may pay for any user's place. A place is sold once, so every quote can be used once.
    function register(bytes32 userIdHash, uint256 price, uint256 expiresAt, bytes calldata signature)
        external
        payable
    {
        require(block.timestamp <= expiresAt, QuoteExpired(expiresAt, block.timestamp));
        require(msg.value == price, WrongPrice(msg.value, price));
        require(registrantOf[userIdHash] == address(0), AlreadyRegistered(userIdHash));
        require(_recover(quoteDigest(userIdHash, price, expiresAt), signature) == signer, WrongSignature());
        registrantOf[userIdHash] = msg.sender;
        emit Registered(userIdHash, msg.sender, price);
    }

    function isRegistered(bytes32 userIdHash) external view returns (bool) {
        return registrantOf[userIdHash] != address(0);
    }

    /// The digest that the signer signs. The chain id is read each time, so that quotes are void on a fork.
    function quoteDigest(bytes32 userIdHash, uint256 price, uint256 expiresAt) public view returns (bytes32) {
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPE, keccak256("Latchkey Waiting List"), keccak256("1"), block.chainid, address(this)
            )
        );
        bytes32 quote = keccak256(abi.encode(QUOTE_TYPE, userIdHash, price, expiresAt));
        return keccak256(abi.encodePacked("\x19\x01", domain, quote));
    }

    function setSigner(address to) external onlyOwner {
        require(to != address(0), ZeroAddress());
        emit SignerChanged(signer, to);
        signer = to;
    }

    function withdraw(address payable to) external onlyOwner {
        (bool taken,) = to.call{value: address(this).balance}("");
        require(taken, PaymentRefused(to));
    }

    function _recover(bytes32 digest, bytes calldata signature) private pure returns (address recovered) {
        require(signature.length == 65, WrongSignature());
        bytes32 r = bytes32(signature[0:32]);
        bytes32 s = bytes32(signature[32:64]);
        require(uint256(s) <= HALF_ORDER, WrongSignature());
        recovered = ecrecover(digest, uint8(signature[64]), r, s);
        require(recovered != address(0), WrongSignature());
    }
}
