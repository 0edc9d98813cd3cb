// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// Which wallet acts for which: the part of the first EPS register (Ethereum Proxy Service) that sets and reads it. A nominator, usually a
/// cold wallet, names a proxy; the proxy accepts. An address has one role in it at a time.
contract ProxyRegister {
    struct Record {
        address nominator;
        address delivery;
    }

    event NominationMade(address indexed nominator, address indexed proxy, uint256 timestamp, uint256 provider);
    event NominationAccepted(
        address indexed nominator, address indexed proxy, address indexed delivery, uint256 timestamp, uint256 provider
    );
    event RecordDeleted(
        string initiator,
        address indexed nominator,
        address indexed proxy,
        address indexed delivery,
        uint256 timestamp,
        uint256 provider
    );

    error NotNominated(address nominator, address proxy);
    error ActiveAlready(address account);
    error NominatorMayNotAct(address nominator);
    error NoRecord(address account);

    mapping(address => address) private _nominations;
    mapping(address => Record) private _records;

    function makeNomination(address proxy, uint256 provider) external payable {
        require(!addressIsActive(proxy), ActiveAlready(proxy));
        require(!addressIsActive(msg.sender), ActiveAlready(msg.sender));
        _nominations[msg.sender] = proxy;
        emit NominationMade(msg.sender, proxy, block.timestamp, provider);
    }

    function acceptNomination(address nominator, address delivery, uint256 provider) external {
        require(_nominations[nominator] == msg.sender, NotNominated(nominator, msg.sender));
        require(!addressIsActive(msg.sender), ActiveAlready(msg.sender));
        _records[msg.sender] = Record(nominator, delivery);
        emit NominationAccepted(nominator, msg.sender, delivery, block.timestamp, provider);
    }

    function deleteRecordByNominator(uint256 provider) external {
        _remove("nominator", msg.sender, _nominations[msg.sender], provider);
    }

    function deleteRecordByProxy(uint256 provider) external {
        _remove("proxy", _records[msg.sender].nominator, msg.sender, provider);
    }

    function nominationExists(address nominator) external view returns (bool) {
        return _nominations[nominator] != address(0);
    }

    function proxyRecordExists(address proxy) public view returns (bool) {
        return _records[proxy].nominator != address(0);
    }

    function nominatorRecordExists(address nominator) public view returns (bool) {
        return nominator != address(0) && _records[_nominations[nominator]].nominator == nominator;
    }

    function addressIsActive(address account) public view returns (bool) {
        return proxyRecordExists(account) || nominatorRecordExists(account);
    }

    function getProxyRecord(address proxy_) external view returns (address nominator, address proxy, address delivery) {
        return (_records[proxy_].nominator, proxy_, _records[proxy_].delivery);
    }

    function getNomination(address nominator) external view returns (address proxy) {
        return _nominations[nominator];
    }

    /// The account an address acts for: its nominator, or itself. A nominator with a proxy may not act for itself.
    function getAddresses(address received) external view returns (address nominator, address delivery, bool isProxied) {
        require(!nominatorRecordExists(received), NominatorMayNotAct(received));
        Record storage record = _records[received];
        if (record.nominator == address(0)) return (received, received, false);
        return (record.nominator, record.delivery, true);
    }

    function _remove(string memory initiator, address nominator, address proxy, uint256 provider) private {
        Record memory record = _records[proxy];
        require(nominator != address(0) && record.nominator == nominator, NoRecord(msg.sender));
        delete _records[proxy];
        delete _nominations[nominator];
        emit RecordDeleted(initiator, nominator, proxy, record.delivery, block.timestamp, provider);
    }
}
